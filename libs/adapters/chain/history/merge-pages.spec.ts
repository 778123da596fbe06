import { writeExecutedTransaction } from '@fresnel/domain/events';
import { toSignature, toSlot } from '@fresnel/domain/primitives';
import { type HistoryPage } from './history-source';
import { mergePages } from './merge-pages';

const transactionAt = (index: number) => ({
  index,
  json: String(index),
  signature: index === 0 ? null : toSignature(Buffer.alloc(64, index)),
});

/** A page with transactions by slot, of which those with an index of 0 are holes. */
function page(from: number, to: number, transactions: Record<number, number[]>): HistoryPage {
  const entries = Object.entries(transactions).map(([slot, indexes]) => ({ slot: toSlot(Number(slot)), indexes }));
  return {
    from: toSlot(from),
    to: toSlot(to),
    slots: entries.map(({ slot, indexes }) => ({
      slot,
      blockTime: null,
      link: null,
      transactions: indexes.map(transactionAt),
    })),
    holes: entries.flatMap(({ slot, indexes }) =>
      indexes.includes(0) ? [{ slot, index: 0, signature: null, reason: 'lost' }] : [],
    ),
  };
}

async function* pagesOf(pages: readonly HistoryPage[], onEnd: () => void): AsyncIterable<HistoryPage> {
  try {
    for (const each of pages) yield await Promise.resolve(each);
  } finally {
    onEnd();
  }
}

describe('mergePages', () => {
  let ended: number;
  const end = () => ended++;
  const merge = (...sources: HistoryPage[][]) => mergePages(sources.map((pages) => pagesOf(pages, end)));
  beforeEach(() => (ended = 0));

  async function collect(pages: AsyncIterable<HistoryPage>): Promise<HistoryPage[]> {
    const collected: HistoryPage[] = [];
    for await (const each of pages) collected.push(each);
    return collected;
  }

  it('attests what all accounts attest, and gives shared transactions and holes once', async () => {
    const tree = [page(10, 19, { 10: [1, 4], 15: [2] }), page(20, 29, { 20: [0] }), page(30, 39, {})];
    const queue = [page(10, 24, { 10: [1, 3], 14: [2], 20: [0, 7] }), page(25, 39, { 39: [5] })];
    const merged = await collect(merge(tree, queue));
    expect(merged).toEqual([
      page(10, 19, { 10: [1, 3, 4], 14: [2], 15: [2] }),
      page(20, 24, { 20: [0, 7] }),
      page(25, 29, {}),
      page(30, 39, { 39: [5] }),
    ]);
    expect(ended).toBe(2);
  });

  it('gives a transaction as the one with more of its instructions has it, in either order', async () => {
    const signature = toSignature(Buffer.alloc(64, 9));
    const instruction = { programId: '11111111111111111111111111111111', accounts: [], data: '', stackHeight: 1 };
    const pageWith = (count: number): HistoryPage => {
      const json = writeExecutedTransaction({
        signature,
        instructions: Array<typeof instruction>(count).fill(instruction),
      });
      const transactions = [{ index: 3, json, signature }];
      return {
        from: toSlot(10),
        to: toSlot(19),
        slots: [{ slot: toSlot(12), blockTime: null, link: null, transactions }],
        holes: [],
      };
    };
    expect(await collect(merge([pageWith(3)], [pageWith(2)]))).toEqual([pageWith(3)]);
    expect(await collect(merge([pageWith(2)], [pageWith(3)]))).toEqual([pageWith(3)]);
  });

  it('gives what one has lost as another one has it, in either order', async () => {
    const signature = toSignature(Buffer.alloc(64, 9));
    const pageWith = (json: string, reason?: string): HistoryPage => ({
      from: toSlot(10),
      to: toSlot(19),
      slots: [{ slot: toSlot(12), blockTime: null, link: null, transactions: [{ index: 3, json, signature }] }],
      holes: reason === undefined ? [] : [{ slot: toSlot(12), index: 3, signature, reason }],
    });
    const [lost, whole] = [pageWith('"lost"', 'no meta'), pageWith('"whole"')];
    expect(await collect(merge([lost], [whole]))).toEqual([whole]);
    expect(await collect(merge([whole], [lost]))).toEqual([whole]);
    expect(await collect(merge([pageWith('"other"')], [whole]))).toEqual([whole]);
    expect(await collect(merge([lost], [lost]))).toEqual([lost]);
  });

  it('takes indexes from a source that has different ones for all', async () => {
    const pageOf = (...indexes: [fill: number, index: number][]): HistoryPage => {
      const transactions = indexes.map(([fill, index]) => ({ ...transactionAt(fill), index }));
      const slots = [{ slot: toSlot(12), blockTime: null, link: null, transactions }];
      return { from: toSlot(10), to: toSlot(19), slots, holes: [] };
    };
    const tied = pageOf([1, 0], [2, 0], [3, 0]);
    const whole = pageOf([2, 4], [3, 6], [1, 8]);
    expect(await collect(merge([tied], [whole]))).toEqual([whole]);
    expect(await collect(merge([whole], [tied]))).toEqual([whole]);
    const [{ slots }] = await collect(merge([pageOf([2, 4], [3, 6])], [tied]));
    expect(slots[0].transactions.map(({ index }) => index)).toEqual([4, 4, 4]);
  });

  it('leaves the pages of one account as they are', async () => {
    const pages = [page(10, 19, { 10: [4, 4] }), page(20, 29, { 20: [1] })];
    expect(await collect(merge([page(10, 19, { 10: [4] }), pages[1]]))).toEqual([page(10, 19, { 10: [4] }), pages[1]]);
  });

  it('closes all sources when the caller stops', async () => {
    for await (const { from } of merge([page(10, 19, {}), page(20, 29, {})], [page(10, 29, {})])) {
      expect(from).toBe(10);
      break;
    }
    expect(ended).toBe(2);
  });
});
