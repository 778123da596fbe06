import { format } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import fc, { type Arbitrary } from 'fast-check';

/** An error class of any constructor. */
type ErrorClass = abstract new (...args: never[]) => Error;

interface FuzzOptions<Input> {
  /** What the parser throws on purpose. */
  throws?: readonly ErrorClass[];
  /** Inputs of past findings, which run first. */
  known?: readonly Input[];
  /** Without `npm run fuzz`. */
  runs?: number;
}

/** So many inputs of every parser in one run of all tests take a second or two. */
const RUNS = 500;
const SEED = 43;
/** Set by `npm run fuzz`: other inputs in every run. */
const LONG_RUNS = Number(process.env.FRESNEL_FUZZ_RUNS ?? 0);

/** Far above what modules need that are loaded with the first input, and far below what a length of 32 bits can ask for. */
const MAX_GROWTH_BYTES = 64 * 2 ** 20;
const MAX_GROWTH_FACTOR = 1_000;

/**
 * Gives inputs to a parser, which has to return a value, throw an error that it documents, and take memory in proportion to its input.
 * Prints the seed of a failing input.
 *
 * @param parse may also check what the parser returns
 */
export function fuzz<Input extends string | Buffer>(
  inputs: Arbitrary<Input>,
  parse: (input: Input) => unknown,
  options: FuzzOptions<Input> = {},
): void {
  const run = (input: Input) => {
    const before = heapBytes();
    attempt(options, () => parse(input));
    requireBounded(input, before);
  };
  if (collected) collected.push(toTarget(inputs, run, false));
  else fc.assert(fc.property(inputs, run), parametersOf(options));
}

/** Like `fuzz`, for a parser that returns a promise. */
export async function fuzzAsync<Input extends string | Buffer>(
  inputs: Arbitrary<Input>,
  parse: (input: Input) => Promise<unknown>,
  options: FuzzOptions<Input> = {},
): Promise<void> {
  const run = async (input: Input) => {
    const before = heapBytes();
    await parse(input).catch((error: unknown) => {
      attempt(options, () => {
        throw error;
      });
    });
    requireBounded(input, before);
  };
  if (collected) collected.push(toTarget(inputs, run, true));
  else await fc.assert(fc.asyncProperty(inputs, run), parametersOf(options));
}

/** A parser with its checks, for a fuzzer that chooses the bytes itself. */
export interface FuzzTarget {
  title: string;
  /** Inputs to begin with. */
  samples: (string | Buffer)[];
  /** Whether `run` returns a promise. */
  isAsync: boolean;
  /** @throws if the parser does what it must not */
  run(data: Buffer): unknown;
}

const SAMPLES = 100;
/** While targets are collected. */
let collected: Omit<FuzzTarget, 'title'>[] | null = null;

/** Runs a suite without Jest, and collects what it gives to `fuzz` and `fuzzAsync` instead of running it. */
export function collectFuzzTargets(loadSuite: () => unknown): FuzzTarget[] {
  const targets: FuzzTarget[] = [];
  const titles: string[] = [];
  const it = (title: string, run: (...row: readonly unknown[]) => unknown, row: readonly unknown[] = []) => {
    collected = [];
    void run(...row);
    targets.push(
      ...collected.map((target) => ({ ...target, title: format([...titles, title].join(' '), ...row.slice(0, 1)) })),
    );
    collected = null;
  };
  const each = (rows: readonly unknown[]) => (title: string, run: (...row: readonly unknown[]) => unknown) => {
    for (const row of rows) it(title, run, Array.isArray(row) ? row : [row]);
  };
  const describe = (title: string, define: () => void) => {
    titles.push(title);
    define();
    titles.pop();
  };
  Object.assign(globalThis, { describe, it: Object.assign(it, { each }) });
  loadSuite();
  return targets;
}

function toTarget<Input extends string | Buffer>(
  inputs: Arbitrary<Input>,
  run: (input: Input) => unknown,
  isAsync: boolean,
) {
  const samples = fc.sample(inputs, { numRuns: SAMPLES, seed: SEED });
  const isText = typeof samples[0] === 'string';
  return { samples, isAsync, run: (data: Buffer) => run((isText ? data.toString() : data) as Input) };
}

function attempt({ throws = [] }: Pick<FuzzOptions<never>, 'throws'>, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!throws.some((type) => error instanceof type)) throw error;
  }
}

function parametersOf<Input>({ known = [], runs = RUNS }: FuzzOptions<Input>) {
  const examples = known.map((input): [Input] => [input]);
  return LONG_RUNS > 0 ? { numRuns: LONG_RUNS, examples } : { numRuns: runs + examples.length, seed: SEED, examples };
}

/** Of objects and of buffers. */
function heapBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

function requireBounded(input: string | Buffer, before: number): void {
  const growth = heapBytes() - before;
  if (growth > MAX_GROWTH_BYTES + MAX_GROWTH_FACTOR * input.length) {
    throw new Error(`an input of length ${input.length} takes ${growth} bytes of memory`);
  }
}
