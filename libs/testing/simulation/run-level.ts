import { type Fault, Scheduler, type SchedulerOptions } from './scheduler';

/** One simulated world: real code on simulated or real servers. */
export interface World {
  /** Faults that happen between operations. */
  readonly faults: readonly Fault[];
  /** What is wrong now; null if nothing is. Called after each step. */
  check(): Promise<string | null>;
  /** Ends the faults that the world has of its own. */
  heal(): void;
  /** What a run without faults has done and this one has not; null if it is the same. */
  findDifference(): Promise<string | null>;
  close(): Promise<void>;
}

/** A part of the system that is simulated. */
export interface Level {
  name: string;
  /** Steps with faults. */
  steps: number;
  /** Starts the servers that the worlds share. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** Creates a world and starts its actors. */
  createWorld(scheduler: Scheduler, seed: number): Promise<World>;
}

/** The result of one seed. */
export interface Outcome {
  /** Null: nothing is wrong. */
  problem: string | null;
  trace: readonly string[];
  /** The numbers of the faults that happened. */
  happened: readonly number[];
}

/** After the last fault, everything is done within so many times the steps before it. */
const MAX_STEPS_TO_HEAL = 10;
const STEPS_PER_COMPARISON = 20;
/** A finding that takes longer to shrink is reported as it is by then. */
const MAX_SHRINKING_MS = 120_000;

/** Runs one world: with faults, then without them until everything is done. */
export async function runSeed(level: Level, options: SchedulerOptions): Promise<Outcome> {
  const { stackTraceLimit } = Error;
  // Node keeps aborted signals. The stacks of their reasons would keep the world of each seed.
  Error.stackTraceLimit = 0;
  const scheduler = new Scheduler(options);
  let world: World | null = null;
  try {
    world = await level.createWorld(scheduler, options.seed);
    const problem = await runWorld(scheduler, world, level.steps);
    return { problem, trace: scheduler.trace, happened: scheduler.happened };
  } finally {
    scheduler.end();
    await world?.close();
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function runWorld(scheduler: Scheduler, world: World, steps: number): Promise<string | null> {
  for (let step = 0; step < steps; step++) {
    const isAlive = await scheduler.step(world.faults);
    const problem = await world.check();
    if (problem) return problem;
    if (!isAlive) break;
  }
  world.heal();
  await scheduler.heal();
  for (let step = 0; ; step++) {
    const problem = await world.check();
    if (problem) return problem;
    const difference = step % STEPS_PER_COMPARISON === 0 ? await world.findDifference() : 'not compared';
    if (difference === null) return null;
    if (step >= MAX_STEPS_TO_HEAL * steps) return `long after the last fault: ${difference}`;
    if (!(await scheduler.step([]))) return `nobody goes on: ${(await world.findDifference()) ?? 'nothing is missing'}`;
  }
}

/**
 * Leaves out faults as long as the run fails in the same way, for some minutes at most.
 *
 * @returns the outcome with the fewest faults
 */
export async function shrink(level: Level, seed: number, found: Outcome): Promise<Outcome> {
  const kind = kindOf(found.problem);
  const startedAt = performance.now();
  let smallest = found;
  for (let size = Math.ceil(found.happened.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < smallest.happened.length;) {
      if (performance.now() - startedAt > MAX_SHRINKING_MS) return smallest;
      const only = new Set(smallest.happened.toSpliced(from, size));
      const tried = await runSeed(level, { seed, only });
      if (kindOf(tried.problem) === kind) smallest = tried;
      else from += size;
    }
  }
  return smallest;
}

/** A problem without its numbers. */
export function kindOf(problem: string | null): string | null {
  return problem?.replaceAll(/\d+/g, 'N') ?? null;
}
