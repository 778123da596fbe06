import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { generateLedger, generatedTrees } from '@fresnel/ledger-generator';
import {
  eventsOfBlocks,
  eventsOfPages,
  holesOf,
  inSlots,
  type LedgerBlock,
  naming,
  readHistory,
  readHistoryLedger,
  spendingOnly,
  type Withheld,
} from '@fresnel/testing/history';
import { type HistorySource } from './history-source';

/** A source that reads from a fake provider. */
export interface HistorySourceUnderTest {
  source: HistorySource;
  /** Sets how many transactions or blocks the provider gives at once. */
  limitAnswers(count: number): void;
  withhold(withheld: Withheld): void;
  close(): Promise<void>;
}

/** Every kind of event, in transactions of all versions. */
const BLOCKS = [...generateLedger({ seed: 31, slots: 50, weights: { migrateLeaves: 8, truncatedInstruction: 1 } })];
const EXPECTED = eventsOfBlocks(BLOCKS);
const LEDGER = readHistoryLedger(BLOCKS);
const TRANSACTIONS = LEDGER.flatMap(({ transactions }) => transactions);
const [FIRST, LAST] = [LEDGER[0].slot, LEDGER[LEDGER.length - 1].slot];
const [{ tree, queue }] = generatedTrees();
const PROGRAM = LIVE_PROGRAMS.accountCompression;

/** What every source of history must do. @param open over a provider that has this ledger */
export function describeHistorySource(open: (ledger: readonly LedgerBlock[]) => Promise<HistorySourceUnderTest>): void {
  describe('as a source of history', () => {
    let under: HistorySourceUnderTest;
    beforeEach(async () => {
      under = await open(LEDGER);
    });
    afterEach(() => under.close());

    it.each([2, 7, 1_000])(
      'gives the transactions of all blocks and attests every slot once, %d at a time',
      async (count) => {
        under.limitAnswers(count);
        const pages = await readHistory(under.source, [FIRST, LAST + 50]);
        expect(eventsOfPages(pages)).toEqual(EXPECTED);
        let next: number = FIRST;
        for (const { from, to, slots } of pages) {
          expect(from).toBe(next);
          expect(slots.every(({ slot }) => slot >= from && slot <= to)).toBe(true);
          next = to + 1;
        }
        expect(next).toBe(LAST + 51);
        const slots = pages.flatMap((page) => page.slots.map(({ slot }) => slot));
        expect(slots).toEqual([...new Set(slots)].sort((a, b) => a - b));
      },
    );

    it('gives a part of the chain, also one without transactions', async () => {
      const middle = EXPECTED[50].slot;
      const pages = await readHistory(under.source, [middle, middle + 20]);
      expect(eventsOfPages(pages)).toEqual(EXPECTED.filter(({ slot }) => slot >= middle && slot <= middle + 20));
      const after = await readHistory(under.source, [LAST + 1, LAST + 9]);
      expect(after).toMatchObject([{ from: LAST + 1, to: LAST + 9, slots: [], holes: [] }]);
    });

    it('gives the transactions that name one of several accounts', async () => {
      under.limitAnswers(20);
      const names = naming(tree, queue);
      const named = new Set<string | null>(TRANSACTIONS.filter(names).map(({ signature }) => signature));
      const found = eventsOfPages(await readHistory(under.source, [FIRST, LAST], [tree, queue]));
      expect(found).toEqual(EXPECTED.filter(({ signature }) => named.has(signature)));
      expect(found.length).toBeGreaterThan(10);
      expect(found.length).toBeLessThan(EXPECTED.length);
    });

    it.each<[string, Withheld]>([
      ['a transaction', ({ signature }) => signature === EXPECTED[40].signature],
      ['a tree', naming(tree, queue)],
      ['spends without outputs', spendingOnly],
      ['a range of slots', inSlots(FIRST + 10, FIRST + 20)],
    ])('does not notice that the provider withholds %s: the caller has to', async (_, withheld) => {
      under.withhold(withheld);
      const pages = await readHistory(under.source, [FIRST, LAST]);
      const lost = new Set<string | null>(TRANSACTIONS.filter(withheld).map(({ signature }) => signature));
      expect(eventsOfPages(pages)).toEqual(EXPECTED.filter(({ signature }) => !lost.has(signature)));
      expect(lost.size).toBeGreaterThan(0);
      expect(pages.at(-1)?.to).toBe(LAST);
      expect(holesOf(pages)).toEqual([]);
    });

    it('counts what it gives', async () => {
      const range = { from: toSlot(FIRST), to: toSlot(LAST) };
      const given = (await readHistory(under.source, [FIRST, LAST])).flatMap(({ slots }) =>
        slots.flatMap(({ transactions }) => transactions),
      );
      const { bytes } = under.source.usage;
      expect(await under.source.count(range, PROGRAM, new AbortController().signal)).toBe(given.length);
      expect(under.source.usage.bytes - bytes).toBeLessThan(bytes / 3);
    });

    it('stops when its signal aborts', async () => {
      under.limitAnswers(1);
      const stop = new AbortController();
      const reading = (async () => {
        for await (const { to } of under.source.read({ from: toSlot(FIRST), to: toSlot(LAST) }, [PROGRAM], stop.signal))
          if (to > FIRST + 10) stop.abort(new Error('enough'));
      })();
      await expect(reading).rejects.toThrow('enough');
    });
  });
}
