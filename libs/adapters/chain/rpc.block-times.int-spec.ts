import { type Block } from '@fresnel/domain/events';
import { FresnelError, toSlot } from '@fresnel/domain/primitives';
import { createTestSource, createTestStream, FakeYellowstone, takeBlocks } from '@fresnel/testing/block-sources';
import { BLOCK_CLEANED_UP, blockhashAt, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { until } from '@fresnel/testing/generic';
import { type BlockSource, MissingHistoryError } from './block-source';
import { type StoredTimes } from './rpc.block-times';

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

  describe('with more blocks than 64 that have none', () => {
    const slots = range(FIRST, 1100);
    /** The last block that is not too far from block 1000. */
    const LAST = 1064;
    beforeEach(() => {
      node.add(withoutTimes(slots, range(1001, 1100)));
    });
    const inherited = (first: number) => range(first, LAST).map((slot) => [slot, timeOf(FIRST)]);

    it.each([1000, 1001, 1030, 1063])(
      'is asked for from the same block on, if reading starts after %d',
      async (start) => {
        const { source } = createTestSource(node, START);
        const taking = takeBlocks(source, 1065 - start, refOf(start));
        // The ancestors of the block have no time: it is requested again itself.
        await until(() => headersOf(node, 1065) > 0);
        node.add(linkBlocks([1065]));
        expect(timesOf(await taking).slice(0, 1065 - start)).toEqual([...inherited(start + 1), [1065, timeOf(1065)]]);
      },
    );

    it('is asked for from the same block on, if a stream is configured', async () => {
      const yellowstone = await FakeYellowstone.start();
      const { source } = createTestStream(node, yellowstone);
      const taking = takeBlocks(source, 65, refOf(1000));
      await until(() => headersOf(node, 1065) > 0);
      node.add(linkBlocks([1065]));
      expect(timesOf(await taking).slice(0, 65)).toEqual([...inherited(1001), [1065, timeOf(1065)]]);
      yellowstone.close();
    });

    it('is asked for from the same block on, if single blocks are read', async () => {
      const { source } = createTestSource(node, START);
      expect((await source.findBlock(toSlot(LAST), AbortSignal.timeout(20_000)))?.blockTime).toBe(timeOf(FIRST));
      await expect(source.findBlock(toSlot(LAST + 1), AbortSignal.timeout(20_000))).rejects.toMatchObject({
        code: 'malformed-block',
      });
    });
  });

  describe('whose ancestors the nodes have deleted', () => {
    const find = (source: BlockSource, slot: number) => source.findBlock(toSlot(slot), AbortSignal.timeout(20_000));
    /** A source that knows the stored times of these slots. */
    const withStored = (times: ReadonlyMap<number, number>) => {
      node.firstAvailable = 1004;
      const asked: [number, number][] = [];
      const storedTimes: StoredTimes = ({ slot, blockhash }, limit) => {
        asked.push([slot, limit]);
        expect(blockhash).toEqual(blockhashAt(slot));
        return Promise.resolve(range(0, limit - 1).flatMap((back) => times.get(slot - back) ?? []));
      };
      return { source: createTestSource(node, { ...START, storedTimes }).source, asked };
    };

    it('is the stored one of its nearest ancestor, also after a restart', async () => {
      const { source } = withStored(new Map([[1003, timeOf(1002)]]));
      const blocks = await takeBlocks(source, 6, refOf(1003));
      expect(timesOf(blocks)).toEqual(expected.slice(3));
      expect((await find(source, 1005))?.blockTime).toBe(timeOf(1002));
    });

    it('is the one with which it was stored itself, if it is read again', async () => {
      const { source, asked } = withStored(new Map([[1005, timeOf(1002)]]));
      expect((await find(source, 1005))?.blockTime).toBe(timeOf(1002));
      expect(asked).toEqual([[1005, 1]]);
    });

    it.each([
      ['accepted if an ancestor that is not too far back may have it', 1004 - 64, true],
      ['refused if all up to one that is too far back have it', 1004 - 65, false],
    ])('is %s', async (_, oldest, isFound) => {
      const { source } = withStored(new Map(range(oldest, 1003).map((slot) => [slot, timeOf(0)])));
      const time = await find(source, 1004).catch(() => null);
      expect(time?.blockTime ?? null).toBe(isFound ? timeOf(0) : null);
    });

    it('is asked for again while the store is not available', async () => {
      node.firstAvailable = 1004;
      let attempts = 0;
      const storedTimes: StoredTimes = ({ slot }) => {
        if (++attempts < 5) return Promise.reject(new StoreAwayError('the store is away'));
        return Promise.resolve(slot === 1003 ? [timeOf(1002)] : []);
      };
      const { source } = createTestSource(node, { ...START, storedTimes });
      const blocks = await takeBlocks(source, 6, refOf(1003));
      expect(timesOf(blocks)).toEqual(expected.slice(3));
    });
  });
});

class StoreAwayError extends FresnelError {
  readonly code = 'store-away';
  readonly isRetryable = true;
}

/** How often the header of a block was requested. */
function headersOf(node: FakeNode, slot: number): number {
  const isHeader = ([requested, options]: unknown[]) =>
    requested === slot && (options as { transactionDetails: string }).transactionDetails === 'none';
  return node.requestsOf('getBlock').filter(({ params }) => isHeader(params)).length;
}
