import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { captureLog } from '@fresnel/testing/generic';
import { testSignature } from '@fresnel/testing/slots';
import { type HistoryPage } from './history-source';
import { cutPages, decideRepeats, REPEAT_SLOTS } from './repeated-signatures';

type Contents = Record<number, number[]>;

/** A page with transactions by slot, each named by a number. */
function pageOf(from: number, to: number, contents: Contents = {}): HistoryPage {
  const slots = Object.entries(contents).map(([slot, names]) => ({
    ...{ slot: toSlot(Number(slot)), blockTime: null, link: null },
    transactions: names.map((name, index) => ({ index, json: String(name), signature: testSignature(name) })),
  }));
  return { from: toSlot(from), to: toSlot(to), slots, holes: [] };
}

const FAR = REPEAT_SLOTS + 1;

describe('transactions in several slots', () => {
  /** Slots with blocks; null: no source knows them. */
  let blocks: number[] | null;
  /** Slots of which that is not known. */
  let unknown: number[];
  let asked: number[];
  let ended: boolean;
  beforeEach(() => ([blocks, unknown, asked, ended] = [null, [], [], false]));

  const hasBlock = (slot: Slot) => {
    asked.push(slot);
    return Promise.resolve(blocks && !unknown.includes(slot) ? blocks.includes(slot) : null);
  };

  async function* play(pages: HistoryPage[], onPage: (page: HistoryPage) => void): AsyncIterable<HistoryPage> {
    try {
      for (const page of pages) {
        onPage(page);
        yield await Promise.resolve(page);
      }
    } finally {
      ended = true;
    }
  }
  const decide = (pages: HistoryPage[], onPage: (page: HistoryPage) => void = () => undefined) =>
    decideRepeats(play(pages, onPage), { hasBlock, logger: captureLog().logger });

  /** The names by slot; with a question mark if the place is unknown. */
  async function contentsOf(pages: AsyncIterable<HistoryPage>): Promise<Record<number, string>> {
    const contents: Record<number, string> = {};
    for await (const { slots } of pages) {
      for (const { slot, transactions } of slots) {
        contents[slot] = transactions.map(({ json, problem }) => (problem === undefined ? json : `${json}?`)).join(' ');
      }
    }
    return contents;
  }

  it('are marked in both, with all others of these slots, if no source knows which one has a block', async () => {
    const pages = [pageOf(100, 109, { 102: [1, 7] }), pageOf(110, 119, { 115: [7, 2], 116: [3] })];
    expect(await contentsOf(decide(pages))).toEqual({ 102: '1? 7?', 115: '7? 2?', 116: '3' });
    const marked = [];
    for await (const { slots } of decide(pages)) marked.push(...slots.flatMap(({ transactions }) => transactions));
    expect(marked.flatMap(({ problem }) => problem ?? [])).toEqual([
      ...Array<string>(2).fill('signature-in-two-slots: a transaction of this slot is also in slot 115'),
      ...Array<string>(2).fill('signature-in-two-slots: a transaction of this slot is also in slot 102'),
    ]);
  });

  it.each([
    [[115, 116], { 102: '', 115: '7 2', 116: '3' }],
    [[102, 116], { 102: '1 7', 115: '', 116: '3' }],
    [[102, 115], { 102: '1? 7?', 115: '7? 2?', 116: '3' }],
    [[116], { 102: '1? 7?', 115: '7? 2?', 116: '3' }],
    [[115], { 102: '', 115: '7 2', 116: '3' }, [102]],
    [[116], { 102: '1 7', 115: '', 116: '3' }, [102]],
  ])('stay in the one that has a block: %j', async (known, expected, notKnown: number[] = []) => {
    [blocks, unknown] = [known, notKnown];
    const pages = [pageOf(100, 109, { 102: [1, 7] }), pageOf(110, 119, { 115: [7, 2], 116: [3] })];
    expect(await contentsOf(decide(pages))).toEqual(expected);
    expect(asked).toEqual([102, 115]);
  });

  it('are not asked about if there are none', async () => {
    const pages = [pageOf(100, 109, { 102: [1, 2] }), pageOf(110, 119, { 115: [3] })];
    expect(await contentsOf(decide(pages))).toEqual({ 102: '1 2', 115: '3' });
    expect(asked).toEqual([]);
  });

  it('are found as far as a transaction is valid, in whatever page', async () => {
    const pages = (distance: number) =>
      [0, 1, 2, 3, 4, 5, 6].map((at) => {
        const [from, to] = [100 * at, 100 * at + 99];
        const slots = [50, 50 + distance].filter((slot) => slot >= from && slot <= to);
        return pageOf(from, to, Object.fromEntries(slots.map((slot) => [slot, [7]])));
      });
    expect(await contentsOf(decide(pages(REPEAT_SLOTS)))).toEqual({ 50: '7?', [50 + REPEAT_SLOTS]: '7?' });
    expect(await contentsOf(decide(pages(FAR)))).toEqual({ 50: '7', [50 + FAR]: '7' });
  });

  it('are decided once the slots after them are known', async () => {
    let newest = 0;
    const pages = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => pageOf(100 * at, 100 * at + 99));
    const given: number[] = [];
    for await (const { to } of decide(pages, (page) => (newest = page.to))) given.push(newest - to);
    expect(given).toEqual([600, 600, 600, 600, 500, 400, 300, 200, 100, 0]);
  });

  it('are cut to a range, of which each slot is given once', async () => {
    const pages = [
      pageOf(0, 9, { 3: [1] }),
      pageOf(10, 19, { 12: [2], 18: [3] }),
      pageOf(20, 29, { 25: [4] }),
      pageOf(30, 39),
    ];
    const cut: HistoryPage[] = [];
    for await (const page of cutPages(
      play(pages, () => undefined),
      { from: toSlot(13), to: toSlot(25) },
    ))
      cut.push(page);
    expect(cut).toEqual([pageOf(13, 19, { 18: [3] }), pageOf(20, 25, { 25: [4] })]);
    expect(ended).toBe(true);
  });
});
