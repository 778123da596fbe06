import { type HistorySource } from '@fresnel/adapters/chain';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { now } from '@fresnel/platform/time';

/** A number of which only a sample was counted. */
export interface Estimate {
  estimate: number;
  /** The truth is above this with a probability of 95 %, and below `high` with the same: 90 % lie between. */
  low: number;
  high: number;
}

/** What a backfill will need. */
export interface HistoryEstimate {
  slots: { from: Slot; to: Slot };
  transactions: Estimate;
  /** Requests, each with up to a thousand transactions. */
  calls: number;
  /** Dollars; null without a price. */
  price: number | null;
  /** With the measured time of a request, and the rate at which transactions are stored. */
  seconds: number;
  /** What the sample has cost. */
  sample: { calls: number; windows: number; ofWindows: number };
}

export interface EstimateOptions {
  range: { from: Slot; to: Slot };
  about: Pubkey;
  /** Requests that the sample may cost. */
  maxCalls: number;
  /** Parts that are read at the same time. */
  concurrency: number;
  /** Slots of a part: a backfill needs at least one request for each. */
  partSlots: number;
  /** Dollars for a request. */
  pricePerCall: number | null;
}

const WINDOW_SLOTS = 10_000;
const TRANSACTIONS_PER_CALL = 1_000;
/** The sample is enough once the interval is within this part of the estimate. */
const PRECISION = 0.2;
/** Fewer windows say little about how much they differ. */
const MIN_WINDOWS = 30;
/** Of the normal distribution: 90 % lie within so many standard deviations. */
const Z_90 = 1.645;
/** Transactions that one process stores a second, with one in ten slots, as docs/performance.md has it. */
const STORED_PER_SECOND = 780;

/**
 * Counts the transactions of windows that are spread evenly over a range, until the 90 % interval of the sum is within 20 % or the
 * requests are spent.
 *
 * ```
 *   range     │  │  │  │  │  │  │  │  │     windows of 10,000 slots
 *   counted      3        1        2        each next one is in the largest gap: all times of the chain are represented
 * ```
 *
 * The interval follows from how much the windows differ, corrected for the part of all windows that is counted. If all are, it is exact.
 *
 * @param onWindow called after each window
 */
export async function estimateHistory(
  source: HistorySource,
  options: EstimateOptions,
  signal: AbortSignal,
  onWindow: (transactions: Estimate) => void = () => undefined,
): Promise<HistoryEstimate> {
  const { range, about, maxCalls } = options;
  const startedAt = now();
  const before = source.usage.calls;
  const spent = () => source.usage.calls - before;
  const total = Math.ceil((range.to - range.from + 1) / WINDOW_SLOTS);
  const counts: number[] = [];
  let transactions: Estimate = { estimate: 0, low: 0, high: 0 };
  for (const window of spreadOver(total)) {
    const from = range.from + window * WINDOW_SLOTS;
    const to = Math.min(from + WINDOW_SLOTS - 1, range.to);
    counts.push(await source.count({ from: toSlot(from), to: toSlot(to) }, about, signal));
    transactions = sumOf(counts, total);
    onWindow(transactions);
    if (spent() >= maxCalls || (counts.length >= MIN_WINDOWS && isPrecise(transactions))) break;
  }
  const parts = Math.ceil((range.to - range.from + 1) / options.partSlots);
  const calls = Math.ceil(transactions.estimate / TRANSACTIONS_PER_CALL) + parts;
  const secondsPerCall = (now() - startedAt) / 1000 / Math.max(spent(), 1);
  return {
    slots: range,
    transactions,
    calls,
    price: options.pricePerCall === null ? null : calls * options.pricePerCall,
    seconds: Math.max((calls * secondsPerCall) / options.concurrency, transactions.estimate / STORED_PER_SECOND),
    sample: { calls: spent(), windows: counts.length, ofWindows: total },
  };
}

/** The sum of all windows, of which some are counted. */
function sumOf(counts: readonly number[], total: number): Estimate {
  const sum = counts.reduce((all, count) => all + count, 0);
  const mean = sum / counts.length;
  const variance = counts.reduce((all, count) => all + (count - mean) ** 2, 0) / Math.max(counts.length - 1, 1);
  const isUncounted = 1 - counts.length / total;
  const deviation = total * Math.sqrt((variance / counts.length) * isUncounted);
  const estimate = mean * total;
  return {
    estimate: Math.round(estimate),
    // Nothing is below what was counted.
    low: Math.floor(Math.max(estimate - Z_90 * deviation, sum)),
    high: Math.ceil(estimate + Z_90 * deviation),
  };
}

function isPrecise({ estimate, low, high }: Estimate): boolean {
  return high - estimate <= PRECISION * estimate && estimate - low <= PRECISION * estimate;
}

/** The numbers below a limit, each once, so that the first ones are spread evenly: the bits of a counter in reverse. */
function* spreadOver(limit: number): Iterable<number> {
  const bits = Math.ceil(Math.log2(Math.max(limit, 1)));
  for (let counter = 0; counter < 2 ** bits; counter++) {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit++) reversed = reversed * 2 + (Math.floor(counter / 2 ** bit) % 2);
    if (reversed < limit) yield reversed;
  }
}
