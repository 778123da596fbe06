import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { createTestSource, takeSlots } from '@fresnel/testing/block-sources';
import { blockhashAt, type FakeBlock, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { PUBLIC_CLUSTERS } from './clusters';

const [[MAINNET, { alpenglowGenesis: GENESIS }]] = PUBLIC_CLUSTERS;
const OLD = range(GENESIS - 4, GENESIS);

/** A chain that went on after a number of slots, and what was in them. */
const migrationOf = (abandonedBlocks: number) => {
  const first = GENESIS + abandonedBlocks + 5;
  return {
    first,
    abandoned: linkBlocks(range(GENESIS + 1, GENESIS + abandonedBlocks), { branch: 'abandoned' }),
    blocks: [...linkBlocks(OLD), ...linkBlocks(range(first, first + 9), { parent: GENESIS })],
    slots: [...OLD, ...range(first, first + 9)],
  };
};
const LONG = migrationOf(600);

describe('blocks that were abandoned at the migration to Alpenglow', () => {
  const nodes: FakeNode[] = [];
  afterEach(() => Promise.all(nodes.splice(0).map((node) => node.close())));

  const start = async (...served: FakeBlock[][]) => {
    const started = await Promise.all(served.map((blocks) => FakeNode.start(blocks)));
    for (const node of started) node.genesisHash = MAINNET;
    nodes.push(...started);
    return started;
  };
  const startSlot = toSlot(OLD[0]);
  const refOf = (slot: number) => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });

  it.each([1, 40, 600])('are not delivered: %d of an archive', async (count) => {
    const { blocks, abandoned, slots } = migrationOf(count);
    const archive = await start([...blocks, ...abandoned]);
    expect(await takeSlots(createTestSource(archive, { startSlot }).source, slots.length)).toEqual(slots);
  });

  it.each(['first', 'second'])('are not delivered if the archive is the %s of two endpoints', async (place) => {
    const { blocks, abandoned, slots } = LONG;
    const [archive, other] = await start([...blocks, ...abandoned], blocks);
    const endpoints = place === 'first' ? [archive, other] : [other, archive];
    expect(await takeSlots(createTestSource(endpoints, { startSlot }).source, slots.length)).toEqual(slots);
    expect(archive.requestsOf('getBlocks').length).toBeGreaterThan(0);
  });

  it.each([
    ['the genesis block', GENESIS],
    ['an older block', GENESIS - 2],
  ])('are not delivered after a restart at %s', async (_, last) => {
    const archive = await start([...LONG.blocks, ...LONG.abandoned]);
    const expected = LONG.slots.filter((slot) => slot > last);
    expect(await takeSlots(createTestSource(archive).source, expected.length, refOf(last))).toEqual(expected);
  });

  it('are not delivered if the index starts among them', async () => {
    const archive = await start([...LONG.blocks, ...LONG.abandoned]);
    const { source } = createTestSource(archive, { startSlot: toSlot(GENESIS + 300) });
    expect(await takeSlots(source, 10)).toEqual(range(LONG.first, LONG.first + 9));
  });

  it('are not delivered if the archive does not list the first block after them', async () => {
    const archive = await start([...LONG.blocks, ...LONG.abandoned]);
    archive[0].unlisted.add(LONG.first);
    const { source } = createTestSource(archive, { startSlot });
    expect(await takeSlots(source, LONG.slots.length)).toEqual(LONG.slots);
  });

  it('cost one request for a header if the node has none', async () => {
    const [node] = await start(LONG.blocks);
    const { source } = createTestSource(node, { startSlot, concurrency: 1 });
    expect(await takeSlots(source, LONG.slots.length)).toEqual(LONG.slots);
    const details = node
      .requestsOf('getBlock')
      .map(({ params }) => (params[1] as { transactionDetails: string }).transactionDetails);
    expect(details.filter((detail) => detail === 'none')).toHaveLength(1);
  });

  it('are delivered of another chain', async () => {
    const archive = await start([...linkBlocks(OLD), ...linkBlocks(range(GENESIS + 1, GENESIS + 40))]);
    archive[0].genesisHash = toBase58(blockhashAt(0));
    const slots = [...OLD, ...range(GENESIS + 1, GENESIS + 40)];
    expect(await takeSlots(createTestSource(archive, { startSlot }).source, slots.length)).toEqual(slots);
  });
});
