import { type BlockRef } from '@fresnel/domain/chain';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { createTestSource, takeSlots } from '@fresnel/testing/block-sources';
import {
  BLOCK_NOT_AVAILABLE,
  blockhashAt,
  FakeNode,
  linkBlocks,
  LONG_TERM_SLOT_SKIPPED,
  range,
  SLOT_SKIPPED,
} from '@fresnel/testing/chain';
import { ChainVersionError, ForkError, MissingHistoryError } from './block-source';

const refOf = (slot: number, branch?: string): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const START = { startSlot: toSlot(1000) };

describe('RpcBlockSource', () => {
  let node: FakeNode;
  beforeEach(async () => {
    node = await FakeNode.start();
  });
  afterEach(() => node.close());

  const hide = (...slots: number[]) => {
    for (const slot of slots) node.unlisted.add(slot);
  };

  describe('skips slots without a block', () => {
    it('that are not listed', async () => {
      node.add(linkBlocks([1000, 1001, 1005, 1006]));
      expect(await takeSlots(createTestSource(node, START).source, 4)).toEqual([1000, 1001, 1005, 1006]);
    });

    it.each([
      ['skipped', { kind: 'error', code: SLOT_SKIPPED } as const],
      ['skipped or lost', { kind: 'error', code: LONG_TERM_SLOT_SKIPPED } as const],
    ])('that are listed, but then reported as %s', async (_, fault) => {
      const orphan = linkBlocks([1002], { branch: 'other', parent: 1001 });
      node.add([...linkBlocks([1000, 1001, 1003]), ...orphan]);
      node.fail(fault, { slot: 1002 });
      expect(await takeSlots(createTestSource(node, START).source, 3)).toEqual([1000, 1001, 1003]);
    });
  });

  describe('fetches blocks that lists omit', () => {
    it.each([
      ['one block', [1003]],
      ['several in a row', [1002, 1003, 1005]],
      ['blocks here and there', [1002, 1005, 1007]],
      ['everything after the first', [1002, 1003, 1005, 1006, 1007, 1008]],
      ['the very first block', [1000]],
      ['several from the first on', [1000, 1001, 1002]],
    ])('%s', async (_, unlisted) => {
      const slots = [1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009];
      node.add(linkBlocks(slots));
      hide(...unlisted);
      expect(await takeSlots(createTestSource(node, START).source, slots.length)).toEqual(slots);
    });

    it('nothing before the first listed block if no start slot is configured', async () => {
      node.add(linkBlocks(range(500, 503)));
      node.remove(500);
      expect(await takeSlots(createTestSource(node).source, 3)).toEqual([501, 502, 503]);
    });

    it('genesis', async () => {
      node.add(linkBlocks(range(0, 3)));
      hide(0, 1);
      expect(await takeSlots(createTestSource(node, { startSlot: toSlot(0) }).source, 4)).toEqual([0, 1, 2, 3]);
    });

    it('the blocks right after the given one', async () => {
      node.add(linkBlocks(range(1000, 1006)));
      hide(1003, 1004);
      expect(await takeSlots(createTestSource(node).source, 4, refOf(1002))).toEqual(range(1003, 1006));
    });

    it('the last block of one list and the first of the next', async () => {
      node.add(linkBlocks(range(1000, 2010)));
      hide(1999, 2000);
      expect(await takeSlots(createTestSource(node, START).source, 1011)).toEqual(range(1000, 2010));
    });

    it('a listed block that the node reports as skipped although it is the parent of another', async () => {
      node.add(linkBlocks(range(1000, 1004)));
      node.fail({ kind: 'error', code: SLOT_SKIPPED }, { slot: 1002, times: 3 });
      const { source, lines } = createTestSource(node, START);
      expect(await takeSlots(source, 5)).toEqual(range(1000, 1004));
      expect(lines).toMatchObject([
        { level: 'info', from: 1002, to: 1002, msg: expect.stringContaining('did not list') },
      ]);
    });

    it('a block for which the node returns null at first', async () => {
      node.add(linkBlocks(range(1000, 1004)));
      node.fail({ kind: 'body', text: '{"jsonrpc":"2.0","result":null,"id":4}' }, { slot: 1000 });
      expect(await takeSlots(createTestSource(node, START).source, 5)).toEqual(range(1000, 1004));
    });

    it('a listed block that the node does not have yet', async () => {
      node.add(linkBlocks(range(1000, 1004)));
      node.fail({ kind: 'error', code: BLOCK_NOT_AVAILABLE }, { slot: 1002, times: 5 });
      expect(await takeSlots(createTestSource(node, START).source, 5)).toEqual(range(1000, 1004));
    });
  });

  describe('waits', () => {
    it('for the tip to be listed', async () => {
      node.add(linkBlocks(range(1000, 1003)));
      hide(1002, 1003);
      const { source } = createTestSource(node, START);
      const taking = takeSlots(source, 4);
      await node.waitForRequest('getBlocks', 4);
      expect(node.requestsOf('getBlock').map(({ params }) => params[0])).toEqual([1000, 1001]);
      node.unlisted.clear();
      expect(await taking).toEqual(range(1000, 1003));
    });

    it('at a tip that turns out to be skipped, until there is a block after it', async () => {
      node.add(linkBlocks(range(1000, 1001)));
      node.tip = 1002;
      const taking = takeSlots(createTestSource(node, START).source, 3);
      await node.waitForRequest('getBlocks', 3);
      node.add(linkBlocks([1003], { parent: 1001 }));
      expect(await taking).toEqual([1000, 1001, 1003]);
    });

    it('for a block that appears late and is in no list, without losing it', async () => {
      node.add(linkBlocks([1000, 1001]));
      const taking = takeSlots(createTestSource(node, START).source, 4);
      await node.waitForRequest('getBlock', 2);
      hide(1002);
      node.add(linkBlocks([1002, 1003]));
      expect(await taking).toEqual(range(1000, 1003));
    });
  });

  describe('fails', () => {
    /** Reads blocks until the source fails. @returns the slots before, and the error */
    async function takeUntilError(after: BlockRef | null = null): Promise<{ slots: number[]; error: unknown }> {
      const slots: number[] = [];
      try {
        const { source } = createTestSource(node, START);
        for await (const { slot } of source.blocks(after, AbortSignal.timeout(4_000))) slots.push(slot);
      } catch (error) {
        return { slots, error };
      }
      throw new Error('the source ended');
    }

    it('when a block is not the child of the last one, and names both parents', async () => {
      node.add([...linkBlocks([1000, 1001]), ...linkBlocks([1002, 1003], { branch: 'other', parent: 1000 })]);
      const { slots, error } = await takeUntilError();
      expect(slots).toEqual([1000, 1001]);
      expect(error).toBeInstanceOf(ForkError);
      expect(error).toMatchObject({ code: 'fork', isRetryable: false, block: { slot: 1002, parentSlot: 1000 } });
      for (const expected of ['block 1002', toBase58(blockhashAt(1000)), toBase58(blockhashAt(1001))]) {
        expect(error).toMatchObject({ message: expect.stringContaining(expected) });
      }
    });

    it('when a parent is at the right slot with another blockhash', async () => {
      const [, other] = linkBlocks([1001, 1002], { branch: 'other' });
      node.add([...linkBlocks([1000, 1001]), other]);
      node.genesisHash = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
      const { slots, error } = await takeUntilError();
      expect(slots).toEqual([1000, 1001]);
      expect(error).toBeInstanceOf(ForkError);
    });

    it('when omitted blocks are on another branch, before it delivers any of them', async () => {
      node.add([...linkBlocks([1000, 1001]), ...linkBlocks(range(1002, 1005), { branch: 'other', parent: 1000 })]);
      hide(1002, 1003, 1004);
      const { slots, error } = await takeUntilError();
      expect(slots).toEqual([1000, 1001]);
      expect(error).toBeInstanceOf(ForkError);
    });

    it('when the node reports the parent of a block as skipped in every attempt: then both are orphaned', async () => {
      node.add([...linkBlocks([1000, 1001]), ...linkBlocks([1003], { branch: 'other', parent: 1002 })]);
      const { slots, error } = await takeUntilError();
      expect(slots).toEqual([1000, 1001]);
      expect(error).toBeInstanceOf(ForkError);
      expect(error).toMatchObject({ block: { slot: 1003, parentSlot: 1002 } });
    });

    it.each([
      ['has another blockhash', refOf(1001, 'other')],
      ['has no child', refOf(1003)],
    ])('when the given block %s in the chain', async (_, after) => {
      node.add(linkBlocks([1000, 1001, 1002, 1004]));
      const { slots, error } = await takeUntilError(after);
      expect(slots).toEqual([]);
      expect(error).toBeInstanceOf(ForkError);
    });

    it('when the node deletes a block before it is fetched', async () => {
      node.add(linkBlocks(range(1000, 1003)));
      node.fail({ kind: 'error', code: -32001 }, { slot: 1002, times: 9 });
      const { slots, error } = await takeUntilError();
      expect(slots).toEqual([1000, 1001]);
      expect(error).toBeInstanceOf(MissingHistoryError);
      expect(error).toMatchObject({ isRetryable: false, message: 'the node no longer has block 1002' });
    });

    it('when the node deletes blocks and then does not list them', async () => {
      node.add(linkBlocks(range(1000, 1010)));
      const { source } = createTestSource(node, START);
      const slots: number[] = [];
      const taking = (async () => {
        for await (const { slot } of source.blocks(null, AbortSignal.timeout(4_000))) {
          slots.push(slot);
          if (slot !== 1010) continue;
          node.add(linkBlocks(range(1011, 1019)));
          node.firstAvailable = 1014;
        }
      })();
      await expect(taking).rejects.toThrow(new MissingHistoryError('the node no longer has block 1013'));
      expect(slots).toEqual(range(1000, 1010));
    });

    it('when a block contains a transaction version that is too new', async () => {
      node.add(linkBlocks(range(1000, 1003)));
      node.fail({ kind: 'error', code: -32015 }, { slot: 1002, times: 9 });
      const { slots, error } = await takeUntilError();
      expect(slots).toEqual([1000, 1001]);
      expect(error).toBeInstanceOf(ChainVersionError);
      expect(error).toMatchObject({
        isRetryable: false,
        message: expect.stringMatching(/^block 1002 .*update Fresnel$/),
      });
    });
  });
});
