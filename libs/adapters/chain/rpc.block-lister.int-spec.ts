import { toSlot } from '@fresnel/domain/primitives';
import { createTestSource, takeBlocks, takeSlots } from '@fresnel/testing/block-sources';
import { type Fault, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { until } from '@fresnel/testing/generic';

const SLOTS = [1000, 1001, 1002, 9_000, 20_000, 20_001];
const START = { startSlot: toSlot(1000) };

describe('lists of blocks', () => {
  let node: FakeNode;
  beforeEach(async () => {
    node = await FakeNode.start(linkBlocks(SLOTS));
  });
  afterEach(() => node.close());

  const ranges = () => node.requestsOf('getBlocks').map(({ params: [from, to] }) => Number(to) - Number(from) + 1);

  it.each<[string, Fault]>([
    ['invalid parameters', { kind: 'error', code: -32602, message: 'Slot range too large; max 500' }],
    ['an invalid request, with an error status', { kind: 'error', code: -32600, httpStatus: 400 }],
    ['a code of its own', { kind: 'error', code: -32005, message: 'query exceeds the limit' }],
    ['an error status alone', { kind: 'status', status: 413 }],
    ['half an answer', { kind: 'cut' }],
  ])('are of shorter ranges if a node refuses longer ones with %s', async (_, fault) => {
    node.fail(fault, { method: 'getBlocks', moreThan: 500, times: Infinity });
    expect(await takeSlots(createTestSource(node, START).source, SLOTS.length)).toEqual(SLOTS);
    const refused = ranges().filter((size) => size > 500).length;
    expect(refused).toBeLessThan(ranges().length / 2);
  });

  it('show which blocks are the newest, whose signatures are read, also where blocks are sparse', async () => {
    const slots = range(1000, 2200);
    node.switchBranch(999, linkBlocks([...slots.slice(0, -1), 9_000_000]));
    const source = createTestSource(node, { startSlot: toSlot(1000) }).source;
    const blocks = await takeBlocks(source, 1_201);
    const read = blocks.filter(({ signatures }) => signatures !== null).map(({ slot }) => slot);
    expect(read.length).toBeGreaterThanOrEqual(1_000);
    expect(read.at(-1)).toBe(9_000_000);
  });

  it('are of usual ranges again after a node was away', async () => {
    node.fail({ kind: 'status', status: 503 }, { method: 'getBlocks', times: 60 });
    expect(await takeSlots(createTestSource(node, START).source, SLOTS.length)).toEqual(SLOTS);
    expect(Math.max(...ranges().slice(60))).toBeGreaterThanOrEqual(1_000);
  });

  it('end the source if the node has none', async () => {
    node.fail({ kind: 'error', code: -32601 }, { method: 'getBlocks', times: Infinity });
    await expect(takeSlots(createTestSource(node, START).source, 1)).rejects.toMatchObject({ rpcCode: -32601 });
  });

  it('are taken from another endpoint if one has no block in many slots', async () => {
    const archive = await FakeNode.start(linkBlocks(SLOTS));
    node.firstAvailable = 20_000;
    expect(await takeSlots(createTestSource([node, archive], START).source, SLOTS.length)).toEqual(SLOTS);
    await until(() => archive.requestsOf('getBlocks').length > 0);
    await archive.close();
  });
});
