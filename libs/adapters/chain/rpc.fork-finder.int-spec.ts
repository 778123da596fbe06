import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { createTestSource } from '@fresnel/testing/block-sources';
import {
  BLOCK_CLEANED_UP,
  BLOCK_NOT_AVAILABLE,
  blockhashAt,
  FakeNode,
  linkBlocks,
  LONG_TERM_SLOT_SKIPPED,
  range,
} from '@fresnel/testing/chain';
import { type LogLine } from '@fresnel/testing/generic';
import { ForkError } from './block-source';

const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});

/** A block by what is known of it when it does not follow. */
const unlinkedAt = (slot: number, parent: number, { from = 'other' } = {}): BlockLink => ({
  ...refOf(slot, 'other'),
  parentSlot: toSlot(parent),
  parentBlockhash: blockhashAt(parent, from),
});

const HELD = range(1000, 1010).map((slot) => refOf(slot));

describe('RpcForkFinder', () => {
  let node: FakeNode;
  let lines: LogLine[];
  beforeEach(async () => {
    node = await FakeNode.start(linkBlocks(range(990, 1010)));
  });
  afterEach(() => node.close());

  function findForkPoint(block: BlockLink, held = HELD): Promise<BlockRef | null> {
    const test = createTestSource(node);
    ({ lines } = test);
    return test.source.findForkPoint(held, block, AbortSignal.timeout(4_000));
  }

  /** The node goes on from a slot without a block at the next one. */
  const fork = (parent: number, slots: number[]) => {
    node.switchBranch(parent, linkBlocks(slots, { branch: 'other', parent }));
  };

  describe('finds the block that the chain goes on from', () => {
    it.each([
      ['right below', 1009, [1011]],
      ['over blocks at other slots', 1005, [1007, 1010, 1012]],
      ['over blocks at the same slots', 1003, range(1004, 1012)],
      ['as the oldest that is held', 1000, [1001, 1011]],
    ])('%s', async (_, parent, slots) => {
      fork(parent, slots);
      const [last] = slots.slice(-1);
      const [before] = slots.slice(-2);
      const unlinked = before === last ? unlinkedAt(last, parent, { from: 'main' }) : unlinkedAt(last, before);
      expect(await findForkPoint(unlinked)).toEqual(refOf(parent));
      expect(lines).toEqual([]);
    });

    it('where the unlinked block is at the newest slot that is held', async () => {
      fork(1009, [1010]);
      const newest = refOf(1010, 'another');
      expect(await findForkPoint(unlinkedAt(1010, 1009, { from: 'main' }), [...HELD.slice(0, -1), newest])).toEqual(
        refOf(1009),
      );
    });

    it('where the node says of abandoned slots only that they are not there', async () => {
      fork(1008, [1011]);
      node.fail({ kind: 'error', code: BLOCK_NOT_AVAILABLE }, { slot: 1010, times: 9 });
      expect(await findForkPoint(unlinkedAt(1011, 1008, { from: 'main' }))).toEqual(refOf(1008));
    });
  });

  describe('is not convinced', () => {
    const unconvinced = async (block: BlockLink, reason: RegExp) => {
      expect(await findForkPoint(block)).toBeNull();
      expect(lines).toMatchObject([{ level: 'warn', slot: block.slot, reason: expect.stringMatching(reason) }]);
    };

    it('by a node that is behind', async () => {
      fork(1005, [1006, 1011]);
      node.tip = 1009;
      await unconvinced(unlinkedAt(1011, 1006), /the node is at slot 1009, behind the last one/);
      expect(node.requestsOf('getBlock')).toEqual([]);
    });

    it('by a node that has the newest block still', async () => {
      node.add(linkBlocks([1011], { branch: 'other', parent: 1005 }));
      await unconvinced(unlinkedAt(1011, 1005, { from: 'main' }), /the node has the last one still/);
    });

    it.each([
      ['is skipped', LONG_TERM_SLOT_SKIPPED],
      ['is not available', BLOCK_NOT_AVAILABLE],
      ['is cleaned up', BLOCK_CLEANED_UP],
    ])('where an ancestor %s', async (_, code) => {
      fork(1005, [1006, 1008, 1011]);
      node.fail({ kind: 'error', code }, { slot: 1006 });
      await unconvinced(unlinkedAt(1011, 1008), /cannot give block 1006, the parent of 1008/);
    });

    it('where an ancestor is answered with nothing', async () => {
      fork(1005, [1006, 1011]);
      node.fail({ kind: 'body', text: '{"jsonrpc":"2.0","result":null,"id":3}' }, { slot: 1006 });
      await unconvinced(unlinkedAt(1011, 1006), /cannot give block 1006/);
    });

    it('where a block names another parent than there is', async () => {
      fork(1005, [1006, 1011]);
      await unconvinced(
        unlinkedAt(1011, 1006, { from: 'a third' }),
        /block 1011 names another parent than the node has/,
      );
    });

    it('where a block names a parent behind it', async () => {
      fork(1005, [1006, 1011]);
      await unconvinced(unlinkedAt(1011, 1012), /block 1011 names a parent at 1012/);
    });
  });

  it('says whether the node has a block', async () => {
    fork(1005, [1006, 1011]);
    const { source } = createTestSource(node);
    const has = (block: BlockRef) => source.has(block, AbortSignal.timeout(4_000));
    expect(await has(refOf(1005))).toBe(true);
    expect(await has(refOf(1006, 'other'))).toBe(true);
    expect(await has(refOf(1006))).toBe(false);
    expect(await has(refOf(1007))).toBe(false);
    expect(await has(refOf(1012))).toBe(false);
  });

  it('asks on where the node does not answer', async () => {
    fork(1005, [1006, 1011]);
    node.fail({ kind: 'status', status: 503 }, { slot: 1006, times: 2 });
    node.fail({ kind: 'cut' }, { method: 'getSlot' });
    expect(await findForkPoint(unlinkedAt(1011, 1006))).toEqual(refOf(1005));
  });

  describe('ends loudly', () => {
    it.each([
      ['an older block', 999],
      ['another block at the oldest slot', 996],
    ])('where the chain goes on from %s', async (_, parent) => {
      fork(parent, [1000, 1004, 1011]);
      const finding = findForkPoint(unlinkedAt(1011, 1004));
      await expect(finding).rejects.toThrow(ForkError);
      await expect(finding).rejects.toMatchObject({ block: null, isRetryable: false });
      await expect(finding).rejects.toThrow(/block 1011 \(.*\) descends from none of the 11 blocks that are held/);
      await expect(finding).rejects.toThrow(/1000 to 1010.* index anew/);
      expect(node.requestsOf('getBlock').map(({ params }) => params[0])).toEqual([1010, 1004]);
    });
  });
});
