import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { createTestSource, takeBlocks, takeSlots } from '@fresnel/testing/block-sources';
import {
  BLOCK_CLEANED_UP,
  BLOCK_NOT_AVAILABLE,
  blockhashAt,
  FakeNode,
  linkBlocks,
  range,
  SLOT_SKIPPED,
} from '@fresnel/testing/chain';
import { ForkError } from './block-source';

const SLOTS = range(1000, 1009);
const START = { startSlot: toSlot(1000) };
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const TESTNET = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';

/** A block with other members than the chain gives it. */
function altered(slot: number, members: Record<string, unknown>) {
  const [{ json }] = linkBlocks([slot]);
  return { slot, json: JSON.stringify({ ...JSON.parse(json), ...members }) };
}

describe('RpcBlockSource links blocks', () => {
  const nodes: FakeNode[] = [];
  const start = async (blocks = linkBlocks(SLOTS)) => {
    const node = await FakeNode.start(blocks);
    nodes.push(node);
    return node;
  };
  afterEach(() => Promise.all(nodes.splice(0).map((node) => node.close())));

  describe('whatever a list has', () => {
    it.each([
      ['slots beyond the range', [...SLOTS, 1010, 1011]],
      ['slots below the range', [990, 998, 999, ...SLOTS]],
      ['slots twice', [...SLOTS, ...SLOTS]],
      ['slots in descending order', SLOTS.toReversed()],
      ['the newest block again', [999, 1000, 1000]],
      ['nothing', []],
    ])('%s', async (_, listed) => {
      const node = await start();
      node.fail({ kind: 'result', result: listed }, { method: 'getBlocks' });
      expect(await takeSlots(createTestSource(node, START).source, 10)).toEqual(SLOTS);
    });

    it('the block after a tip that is skipped', async () => {
      const node = await start(linkBlocks([...range(1000, 1004), 1006]));
      node.tip = 1005;
      node.fail({ kind: 'result', result: [1006] }, { method: 'getBlocks' });
      const after = { slot: toSlot(1004), blockhash: blockhashAt(1004) };
      const taking = takeSlots(createTestSource(node, START).source, 1, after);
      await node.waitForRequest('getBlocks', 2);
      expect(node.requestsOf('getBlock')).toEqual([]);
      node.tip = 1006;
      expect(await taking).toEqual([1006]);
    });
  });

  describe('of the endpoint that has one that follows', () => {
    it.each([
      ['previousBlockhash', { previousBlockhash: toBase58(blockhashAt(1004, 'wrong')) }],
      ['parentSlot', { parentSlot: 1003 }],
    ])('if the %s of another one is wrong, and names it', async (field, members) => {
      const wrong = await start();
      wrong.add([altered(1005, members)]);
      const { source, lines } = createTestSource([wrong, await start()], START);
      expect(await takeSlots(source, 10)).toEqual(SLOTS);
      expect(lines.filter(({ level }) => level === 'warn')).toEqual([
        expect.objectContaining({ slot: 1005, faults: [expect.objectContaining({ endpoint: 1, field })] }),
      ]);
    });

    it.each([1005, 1006])('if the parent slot of another one is %d, which is no parent', async (parentSlot) => {
      const wrong = await start();
      wrong.add([altered(1005, { parentSlot })]);
      expect(await takeSlots(createTestSource([wrong, await start()], START).source, 10)).toEqual(SLOTS);
    });

    it.each([1, 2])('if the parent slot that it gives first is a skipped one, with %d endpoints', async (endpoints) => {
      const blocks = linkBlocks([1000, 1001, 1003, 1004]);
      const pair = [await start(blocks), await start(blocks)];
      const { json } = blocks[2];
      const wrong = JSON.stringify({ ...JSON.parse(json), parentSlot: 1002 });
      pair[0].fail({ kind: 'json', text: wrong }, { slot: 1003, times: endpoints === 1 ? 1 : Infinity });
      const { source } = createTestSource(pair.slice(0, endpoints), START);
      expect(await takeSlots(source, 4)).toEqual([1000, 1001, 1003, 1004]);
    });

    it('if one omits a block and calls it skipped', async () => {
      const lacking = await start(linkBlocks(SLOTS).filter(({ slot }) => slot !== 1005));
      expect(await takeSlots(createTestSource([lacking, await start()], START).source, 10)).toEqual(SLOTS);
    });

    it('if one has deleted the first blocks, also if they are many', async () => {
      const slots = range(1000, 1300);
      const [pruned, archive] = [await start(linkBlocks(slots)), await start(linkBlocks(slots))];
      pruned.firstAvailable = 1200;
      expect(await takeSlots(createTestSource([pruned, archive], START).source, slots.length)).toEqual(slots);
      const headers = archive.requestsOf('getBlock').filter(({ params }) => JSON.stringify(params).includes('none'));
      expect(headers.length).toBeLessThan(10);
    });

    it('if one has deleted a block and the other one fails once', async () => {
      const [archive, pruned] = [await start(), await start()];
      archive.fail({ kind: 'status', status: 503 }, { slot: 1002 });
      pruned.firstAvailable = 1009;
      expect(await takeSlots(createTestSource([archive, pruned], START).source, 10)).toEqual(SLOTS);
    });

    it('but ends with a fork if no endpoint has one', async () => {
      const blocks = [...linkBlocks(SLOTS), altered(1005, { previousBlockhash: toBase58(blockhashAt(1004, 'wrong')) })];
      const { source, lines } = createTestSource([await start(blocks), await start(blocks)], START);
      const [first, second] = nodes;
      [first.genesisHash, second.genesisHash] = [MAINNET, MAINNET];
      await expect(takeSlots(source, 10)).rejects.toThrow(ForkError);
      await expect(takeSlots(source, 10)).rejects.toThrow('its previousBlockhash is wrong');
      const reports = lines.filter(({ msg }) => msg.includes('does not follow'));
      expect(reports).toHaveLength(1);
      expect(reports[0].faults).toMatchObject([{ endpoint: 1 }, { endpoint: 2 }]);
    });
  });

  describe('around a listed slot', () => {
    const around = linkBlocks([1000, 1001, 1003, 1004]);

    it.each([
      ['is not available for ever', { kind: 'error', code: BLOCK_NOT_AVAILABLE }],
      ['is null for ever', { kind: 'result', result: null }],
      ['is skipped', { kind: 'error', code: SLOT_SKIPPED }],
    ] as const)('whose block %s', async (_, fault) => {
      const node = await start([...around, ...linkBlocks([1002], { branch: 'orphaned' })]);
      node.fail(fault, { slot: 1002, times: Infinity });
      expect(await takeSlots(createTestSource(node, START).source, 4)).toEqual([1000, 1001, 1003, 1004]);
    });

    it('whose block one endpoint lacks while the other one does not answer', async () => {
      const node = await start([...around, ...linkBlocks([1002], { branch: 'orphaned' })]);
      const away = await start();
      away.fail({ kind: 'status', status: 503 }, { times: Infinity });
      node.fail({ kind: 'error', code: SLOT_SKIPPED }, { slot: 1002, times: Infinity });
      const { source } = createTestSource([node, away], START);
      expect(await takeSlots(source, 4)).toEqual([1000, 1001, 1003, 1004]);
    });

    it('only if a later block shows it', async () => {
      const node = await start(linkBlocks(range(1000, 1002)));
      node.fail({ kind: 'error', code: SLOT_SKIPPED }, { slot: 1002, times: 5 });
      expect(await takeSlots(createTestSource(node, START).source, 3)).toEqual([1000, 1001, 1002]);
    });

    it('if one endpoint has no block and the other one has deleted it', async () => {
      const [node, pruned] = [
        await start([...around, ...linkBlocks([1002], { branch: 'orphaned' })]),
        await start(around),
      ];
      node.fail({ kind: 'error', code: SLOT_SKIPPED }, { slot: 1002, times: Infinity });
      pruned.fail({ kind: 'error', code: BLOCK_CLEANED_UP }, { slot: 1002, times: Infinity });
      expect(await takeSlots(createTestSource([node, pruned], START).source, 4)).toEqual([1000, 1001, 1003, 1004]);
    });
  });

  describe('by slot', () => {
    /** Each block names a hash that no block has. */
    const unlinked = () =>
      SLOTS.map((slot) => altered(slot, { previousBlockhash: toBase58(blockhashAt(slot, 'none')) }));

    it('on a local chain, as if they named the hash of their parent, and reports it once', async () => {
      const { source, lines } = createTestSource(await start(unlinked()), START);
      const blocks = await takeBlocks(source, 10);
      expect(blocks.map(({ slot }) => slot)).toEqual(SLOTS);
      const named = blocks.slice(1).map(({ parentBlockhash }) => toBase58(parentBlockhash));
      expect(named).toEqual(SLOTS.slice(0, -1).map((slot) => toBase58(blockhashAt(slot))));
      expect(lines.filter(({ msg }) => msg.includes('linked by slot'))).toHaveLength(1);
    });

    it.each([MAINNET, DEVNET, TESTNET])('never on %s', async (genesis) => {
      const node = await start(unlinked());
      node.genesisHash = genesis;
      await expect(takeSlots(createTestSource(node, START).source, 10)).rejects.toThrow(ForkError);
    });

    it('never after a block that the node no longer has', async () => {
      const node = await start(unlinked());
      const after = { slot: toSlot(1004), blockhash: blockhashAt(1004, 'orphaned') };
      await expect(takeSlots(createTestSource(node, START).source, 1, after)).rejects.toThrow(ForkError);
    });

    it('never if one endpoint has the block, and another one its parent', async () => {
      const first = await start(unlinked().slice(0, 6));
      const other = { blockhash: toBase58(blockhashAt(SLOTS[5], 'other')) };
      const second = await start([...unlinked().slice(0, 5), altered(SLOTS[5], other), ...unlinked().slice(6)]);
      const after = { slot: toSlot(SLOTS[5]), blockhash: blockhashAt(SLOTS[5]) };
      await expect(takeSlots(createTestSource([first, second], START).source, 1, after)).rejects.toThrow(ForkError);
    });

    it('never after a block at another slot', async () => {
      const node = await start([...unlinked().slice(0, 5), altered(1006, { parentSlot: 1003 })]);
      await expect(takeSlots(createTestSource(node, START).source, 6)).rejects.toThrow(ForkError);
    });
  });
});
