/** A benchmark: several ways to do the same work, measured one after the other. */
export interface Bench {
  title: string;
  /** Describes the input and its size. */
  data: string;
  /** What is counted, in the plural, such as "blocks". */
  unit: string;
  /** Creates the input. @returns the ways, Fresnel's own first, and a function that cleans up */
  prepare(): Promise<{ ways: BenchWay[]; close?: () => Promise<void> }>;
}

export interface BenchWay {
  name: string;
  /** Does the work once. @returns the number of units, or a measurement if it measures the time itself */
  run(): Promise<number | BenchMeasurement>;
  /** The work is done only once. */
  isOnce?: boolean;
}

export interface BenchMeasurement {
  count: number;
  seconds: number;
  /** Other results of this round, such as latencies. */
  details?: string;
}

export interface BenchResult {
  name: string;
  perSecond: number;
  rounds: number;
  /** Those of the last round. */
  details: string;
}

const MIN_ROUNDS = 3;
const MIN_SECONDS = 3;

/**
 * Runs each way: one warm-up round, then at least three rounds and three seconds.
 *
 * @param onNames gets the names of all ways before the first one runs
 * @param onResult gets the medians of a way as soon as they are known
 */
export async function runBench(
  bench: Bench,
  onNames: (names: string[]) => void,
  onResult: (result: BenchResult) => void,
): Promise<void> {
  const { ways, close } = await bench.prepare();
  onNames(ways.map(({ name }) => name));
  for (const way of ways) {
    const { name, isOnce = false } = way;
    if (!isOnce) await way.run();
    const rates: number[] = [];
    let details = '';
    const startedAt = performance.now();
    do {
      const measured = await measure(way);
      rates.push(measured.count / measured.seconds);
      details = measured.details ?? '';
    } while (!isOnce && (rates.length < MIN_ROUNDS || performance.now() - startedAt < MIN_SECONDS * 1000));
    rates.sort((a, b) => a - b);
    onResult({ name, perSecond: rates[rates.length >> 1], rounds: rates.length, details });
  }
  await close?.();
}

async function measure(way: BenchWay): Promise<BenchMeasurement> {
  const startedAt = performance.now();
  const done = await way.run();
  if (typeof done !== 'number') return done;
  return { count: done, seconds: (performance.now() - startedAt) / 1000 };
}
