import { type HistorySource } from '@fresnel/adapters/chain';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { estimateHistory, type EstimateOptions } from './estimate-history';

const WINDOW = 10_000;
const never = new AbortController().signal;

/** A source whose windows have given counts. One request counts a thousand transactions. */
function sourceOf(countIn: (window: number) => number): HistorySource & { counted: number[] } {
  const usage = { calls: 0, bytes: 0 };
  const counted: number[] = [];
  return {
    ...{ name: 'test', usage, hasBytes: true, hasLinks: false, counted },
    read: () => {
      throw new Error('a dry run reads no transactions');
    },
    count: ({ from }: { from: Slot }) => {
      const window = from / WINDOW;
      counted.push(window);
      const count = countIn(window);
      usage.calls += Math.max(Math.ceil(count / 1_000), 1);
      return Promise.resolve(count);
    },
  };
}

const OPTIONS: EstimateOptions = {
  range: { from: toSlot(0), to: toSlot(1_000 * WINDOW - 1) },
  about: LIVE_PROGRAMS.accountCompression,
  maxCalls: 500,
  concurrency: 8,
  partSlots: 50_000,
  pricePerCall: null,
};

describe('the estimate of history', () => {
  it('is exact if all windows are counted', async () => {
    const source = sourceOf((window) => 100 + window);
    const range = { from: toSlot(0), to: toSlot(20 * WINDOW - 1) };
    const { transactions, sample } = await estimateHistory(source, { ...OPTIONS, range }, never);
    expect(transactions).toEqual({ estimate: 2_190, low: 2_190, high: 2_190 });
    expect(sample).toEqual({ calls: 20, windows: 20, ofWindows: 20 });
    expect([...source.counted].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  it('ends once the interval is narrow, and the truth lies in it', async () => {
    for (const countIn of [
      (at: number) => 500 + (at % 7) * 40,
      (at: number) => 2 * at,
      (at: number) => (at * 7_919) % 3_000,
    ]) {
      const truth = Array.from({ length: 1_000 }, (_, at) => countIn(at)).reduce((sum, count) => sum + count, 0);
      const { transactions, sample } = await estimateHistory(sourceOf(countIn), OPTIONS, never);
      expect(truth).toBeGreaterThanOrEqual(transactions.low);
      expect(truth).toBeLessThanOrEqual(transactions.high);
      expect(transactions.high).toBeLessThanOrEqual(1.21 * transactions.estimate);
      expect(sample.windows).toBeLessThan(200);
    }
  });

  it('spends no more requests than it may', async () => {
    const source = sourceOf((window) => (window % 100 === 0 ? 100_000 : 0));
    const { sample, transactions } = await estimateHistory(source, { ...OPTIONS, maxCalls: 120 }, never);
    expect(sample.calls).toBeLessThan(120 + 100);
    expect(transactions.high).toBeGreaterThan(1.2 * transactions.estimate);
  });

  it('says what the backfill needs', async () => {
    const source = sourceOf(() => 500);
    const { calls, price, transactions } = await estimateHistory(source, { ...OPTIONS, pricePerCall: 0.01 }, never);
    expect(transactions.estimate).toBe(500_000);
    // A call for each thousand, and one for each part.
    expect(calls).toBe(500 + 200);
    expect(price).toBeCloseTo(7);
  });
});
