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

/** The link of an unlinked block. */
const unlinkedAt = (slot: number, parent: number, { from = 'other' } = {}): BlockLink => ({
  ...refOf(slot, 'other'),
  parentSlot: toSlot(parent),
  parentBlockhash: blockhashAt(parent, from),
});

const PUBLISHED = range(1000, 1010).map((slot) => refOf(slot));

describe('RpcForkFinder', () => {
  let node: FakeNode;
  let lines: LogLine[];
  beforeEach(async () => {
    node = await FakeNode.start(linkBlocks(range(990, 1010)));
  });
  afterEach(() => node.close());

  function findForkPoint(block: BlockLink, published = PUBLISHED): Promise<BlockRef | null> {
    const test = createTestSource(node);
    ({ lines } = test);
    return test.source.findForkPoint(published, block, AbortSignal.timeout(4_000));
  }

  /** Switches the node to a branch with blocks at `slots` after `parent`. */
  const fork = (parent: number, slots: number[]) => {
    node.switchBranch(parent, linkBlocks(slots, { branch: 'other', parent }));
  };

  describe('finds the fork point', () => {
    it.each([
      ['that is the second newest published block', 1009, [1011]],
      ['below blocks at other slots', 1005, [1007, 1010, 1012]],
      ['below blocks at the same slots', 1003, range(1004, 1012)],
      ['that is the oldest published block', 1000, [1001, 1011]],
    ])('%s', async (_, parent, slots) => {
      fork(parent, slots);
      const [last] = slots.slice(-1);
      const [before] = slots.slice(-2);
      const unlinked = before === last ? unlinkedAt(last, parent, { from: 'main' }) : unlinkedAt(last, before);
      expect(await findForkPoint(unlinked)).toEqual(refOf(parent));
      expect(lines).toEqual([]);
    });

    it('if the unlinked block has the slot of the newest published block', async () => {
      fork(1009, [1010]);
      const newest = refOf(1010, 'another');
      expect(
        await findForkPoint(unlinkedAt(1010, 1009, { from: 'main' }), [...PUBLISHED.slice(0, -1), newest]),
      ).toEqual(refOf(1009));
    });

    it('if the node reports orphaned slots as not available', async () => {
      fork(1008, [1011]);
      node.fail({ kind: 'error', code: BLOCK_NOT_AVAILABLE }, { slot: 1010, times: 9 });
      expect(await findForkPoint(unlinkedAt(1011, 1008, { from: 'main' }))).toEqual(refOf(1008));
    });
  });

  describe('returns null', () => {
    const expectNoProof = async (block: BlockLink, reason: RegExp) => {
      expect(await findForkPoint(block)).toBeNull();
      expect(lines).toMatchObject([{ level: 'warn', slot: block.slot, reason: expect.stringMatching(reason) }]);
    };

    it('if the node is behind', async () => {
      fork(1005, [1006, 1011]);
      node.tip = 1009;
      await expectNoProof(unlinkedAt(1011, 1006), /the node is at slot 1009, behind the last published block 1010/);
      expect(node.requestsOf('getBlock')).toEqual([]);
    });

    it('if the node still has the newest published block', async () => {
      node.add(linkBlocks([1011], { branch: 'other', parent: 1005 }));
      await expectNoProof(unlinkedAt(1011, 1005, { from: 'main' }), /the node still has the last published block 1010/);
    });

    it.each([
      ['is skipped', LONG_TERM_SLOT_SKIPPED],
      ['is not available', BLOCK_NOT_AVAILABLE],
      ['is cleaned up', BLOCK_CLEANED_UP],
    ])('if an ancestor %s', async (_, code) => {
      fork(1005, [1006, 1008, 1011]);
      node.fail({ kind: 'error', code }, { slot: 1006 });
      await expectNoProof(unlinkedAt(1011, 1008), /does not return block 1006, the parent of block 1008/);
    });

    it('if the node returns null for an ancestor', async () => {
      fork(1005, [1006, 1011]);
      node.fail({ kind: 'body', text: '{"jsonrpc":"2.0","result":null,"id":3}' }, { slot: 1006 });
      await expectNoProof(unlinkedAt(1011, 1006), /does not return block 1006/);
    });

    it('if the node has another block than the parent', async () => {
      fork(1005, [1006, 1011]);
      await expectNoProof(
        unlinkedAt(1011, 1006, { from: 'a third' }),
        /the node has another block 1006 than the parent of block 1011/,
      );
    });

    it('if a block names a parent with a higher slot', async () => {
      fork(1005, [1006, 1011]);
      await expectNoProof(unlinkedAt(1011, 1012), /block 1011 has a parent slot that is not below it: 1012/);
    });
  });

  it('reports whether the node has a block', async () => {
    fork(1005, [1006, 1011]);
    const { source } = createTestSource(node);
    const has = (block: BlockRef) => source.has(block, AbortSignal.timeout(4_000));
    expect(await has(refOf(1005))).toBe(true);
    expect(await has(refOf(1006, 'other'))).toBe(true);
    expect(await has(refOf(1006))).toBe(false);
    expect(await has(refOf(1007))).toBe(false);
    expect(await has(refOf(1012))).toBe(false);
  });

  it('retries when the node does not respond', async () => {
    fork(1005, [1006, 1011]);
    node.fail({ kind: 'status', status: 503 }, { slot: 1006, times: 2 });
    node.fail({ kind: 'cut' }, { method: 'getSlot' });
    expect(await findForkPoint(unlinkedAt(1011, 1006))).toEqual(refOf(1005));
  });

  describe('throws a ForkError', () => {
    it.each([
      ['an older block', 999],
      ['another block at the oldest slot', 996],
    ])('if the fork point is %s', async (_, parent) => {
      fork(parent, [1000, 1004, 1011]);
      const finding = findForkPoint(unlinkedAt(1011, 1004));
      await expect(finding).rejects.toThrow(ForkError);
      await expect(finding).rejects.toMatchObject({ block: null, isRetryable: false });
      await expect(finding).rejects.toThrow(/block 1011 \(.*\) descends from none of the 11 newest published blocks/);
      await expect(finding).rejects.toThrow(/1000 to 1010.* rebuild the index/);
      expect(node.requestsOf('getBlock').map(({ params }) => params[0])).toEqual([1010, 1004]);
    });
  });
});
