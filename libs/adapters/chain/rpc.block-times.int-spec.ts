import { type Block } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { createTestSource, takeBlocks } from '@fresnel/testing/block-sources';
import { BLOCK_CLEANED_UP, blockhashAt, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { MissingHistoryError } from './block-source';

const FIRST = 1000;
const START = { startSlot: toSlot(FIRST) };
const refOf = (slot: number) => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });
const timeOf = (slot: number) => 1_700_000_000 + slot;

/** Linked blocks of which some have no time. */
const withoutTimes = (slots: readonly number[], timeless: readonly number[], blockTime: number | null = null) =>
  linkBlocks(slots).map(({ slot, json }) => {
    return { slot, json: timeless.includes(slot) ? JSON.stringify({ ...JSON.parse(json), blockTime }) : json };
  });
const timesOf = (blocks: readonly Block[]) => blocks.map(({ slot, blockTime }) => [slot, blockTime]);

describe('the time of a block without one', () => {
  let node: FakeNode;
  beforeEach(async () => {
    node = await FakeNode.start(withoutTimes(range(FIRST, 1009), [1003, 1004, 1005]));
  });
  afterEach(() => node.close());

  const expected = range(1001, 1009).map((slot) => [slot, timeOf(slot >= 1003 && slot <= 1005 ? 1002 : slot)]);

  it.each(range(FIRST, 1008))(
    'is that of its nearest ancestor that has one, if reading starts after %d',
    async (start) => {
      const blocks = await takeBlocks(createTestSource(node, START).source, 1009 - start, refOf(start));
      expect(timesOf(blocks)).toEqual(expected.slice(start - FIRST));
    },
  );

  it('is the same for every reader', async () => {
    const { source } = createTestSource(node, START);
    const { signal } = new AbortController();
    expect((await source.findBlock(toSlot(1005), signal))?.blockTime).toBe(timeOf(1002));
    for await (const block of source.blocksFrom(toSlot(1004), signal)) {
      expect(block.blockTime).toBe(timeOf(1002));
      if (block.slot === 1005) break;
    }
  });

  it('is not 1970', async () => {
    node.add(withoutTimes([1004], [1004], 0));
    const [block] = await takeBlocks(createTestSource(node, START).source, 1, refOf(1003));
    expect(block.blockTime).toBe(timeOf(1002));
  });

  it('is that of an ancestor that another endpoint has', async () => {
    const archive = await FakeNode.start(linkBlocks(range(FIRST, 1009)));
    node.firstAvailable = 1004;
    const [block] = await takeBlocks(createTestSource([node, archive], START).source, 1, refOf(1003));
    expect(block.blockTime).toBe(timeOf(1003));
    await archive.close();
  });

  it('is requested again until the node has one, if 64 ancestors have none', async () => {
    const slots = range(FIRST, 1100);
    node.add(withoutTimes(slots, slots));
    const { source, lines } = createTestSource(node, START);
    await expect(source.findBlock(toSlot(1080), AbortSignal.timeout(20_000))).rejects.toMatchObject({
      code: 'malformed-block',
      isRetryable: true,
    });
    const taking = takeBlocks(source, 2, refOf(1079));
    await node.waitForRequest('getBlock', 140);
    node.add(linkBlocks([1080]));
    expect(timesOf(await taking).slice(0, 2)).toEqual([
      [1080, timeOf(1080)],
      [1081, timeOf(1080)],
    ]);
    expect(lines.filter(({ msg }) => msg.includes('have no time'))).toHaveLength(1);
  });

  it('is looked for among the ancestors that the nodes still have', async () => {
    node.add(withoutTimes([1002], [1002]));
    node.fail({ kind: 'error', code: BLOCK_CLEANED_UP }, { slot: 1001, times: Infinity });
    const { source } = createTestSource(node, START);
    const finding = source.findBlock(toSlot(1003), AbortSignal.timeout(20_000));
    await expect(finding).rejects.not.toBeInstanceOf(MissingHistoryError);
    await expect(finding).rejects.toMatchObject({ isRetryable: true });
  });
});
