/** Ways to do the same work, measured one after the other in one run. */
export interface Bench {
  title: string;
  /** What is worked on, and how much of it. */
  data: string;
  /** What is counted, in the plural: "blocks". */
  unit: string;
  /** Makes the data. @returns the ways, Fresnel's own first, and how to clean up */
  prepare(): Promise<{ ways: BenchWay[]; close?: () => Promise<void> }>;
}

export interface BenchWay {
  name: string;
  /** Does the work once. @returns how many units it did, or units and seconds where it keeps time itself */
  run(): Promise<number | { count: number; seconds: number }>;
  /** Work that is not to be repeated. */
  isOnce?: boolean;
}

export interface BenchResult {
  name: string;
  perSecond: number;
  rounds: number;
}

const MIN_ROUNDS = 3;
const MIN_SECONDS = 3;

/** Runs every way: a round to warm up, then rounds for three seconds, at least three. @returns medians */
export async function runBench(bench: Bench): Promise<BenchResult[]> {
  const { ways, close } = await bench.prepare();
  const results: BenchResult[] = [];
  for (const way of ways) {
    const { name, isOnce = false } = way;
    if (!isOnce) await way.run();
    const rates: number[] = [];
    const startedAt = performance.now();
    do rates.push(await measure(way));
    while (!isOnce && (rates.length < MIN_ROUNDS || performance.now() - startedAt < MIN_SECONDS * 1000));
    rates.sort((a, b) => a - b);
    results.push({ name, perSecond: rates[rates.length >> 1], rounds: rates.length });
  }
  await close?.();
  return results;
}

async function measure(way: BenchWay): Promise<number> {
  const startedAt = performance.now();
  const done = await way.run();
  if (typeof done !== 'number') return done.count / done.seconds;
  return done / ((performance.now() - startedAt) / 1000);
}
