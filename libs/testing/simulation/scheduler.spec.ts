import { now, sleep } from '@fresnel/platform/time';
import { type Level, runSeed, shrink, type World } from './run-level';
import { type Scheduler } from './scheduler';

const FAULTS = { lostReply: 0.05, notSent: 0.05, late: 0.05, error: () => new Error('no reply') };

/** Two processes add to a counter that a server stores. */
class Counter implements World {
  readonly faults = [];
  value = 0;
  done = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly increment: (counter: Counter) => Promise<void>,
  ) {
    for (const actor of ['A', 'B']) {
      scheduler.spawn(actor, () => {
        void this.add();
      });
    }
  }

  call<Result>(name: string, execute: () => Result): Promise<Result> {
    return this.scheduler.operation('counter', name, execute, FAULTS);
  }

  check = () => Promise.resolve(this.value > 2 ? `counted ${this.value}` : null);
  heal = () => undefined;
  findDifference = () => {
    if (this.done < 2) return Promise.resolve('not done');
    return Promise.resolve(this.value === 2 ? null : `counted ${this.value} of 2`);
  };
  close = () => Promise.resolve();

  private async add(): Promise<void> {
    for (;;) {
      try {
        await this.increment(this);
        this.done++;
        return;
      } catch {
        await sleep(1_000);
      }
    }
  }
}

function levelOf(increment: (counter: Counter) => Promise<void>): Level {
  return {
    name: 'counter',
    steps: 20,
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
    createWorld: (scheduler) => Promise.resolve(new Counter(scheduler, increment)),
  };
}

/** Loses an addition if both processes read before one writes. */
const READS_THEN_WRITES = levelOf(async (counter) => {
  const value = await counter.call('read', () => counter.value);
  await counter.call(`write ${value + 1}`, () => (counter.value = value + 1));
});

const EACH_ONCE = levelOf(async (counter) => {
  const name = `add ${now()}`;
  await counter.call(name, () => {
    counter.value = 2;
  });
});

const SEEDS = Array.from({ length: 50 }, (_, at) => at + 1);

describe('a simulation', () => {
  it('finds an order of operations that loses one', async () => {
    const outcomes = [];
    for (const seed of SEEDS) outcomes.push((await runSeed(READS_THEN_WRITES, { seed })).problem);
    expect(outcomes).toContain('nobody goes on: counted 1 of 2');
    expect(outcomes).toContain(null);
  });

  it('finds nothing in code that is right in every order', async () => {
    for (const seed of SEEDS) expect((await runSeed(EACH_ONCE, { seed })).problem).toBeNull();
  });

  it('repeats a run by its seed', async () => {
    for (const seed of SEEDS.slice(0, 10)) {
      const one = await runSeed(READS_THEN_WRITES, { seed });
      expect(await runSeed(READS_THEN_WRITES, { seed })).toEqual(one);
    }
  });

  it('leaves out the faults that a finding does not need', async () => {
    let shrunk = 0;
    for (const seed of SEEDS) {
      const found = await runSeed(READS_THEN_WRITES, { seed });
      if (found.problem === null || found.happened.length < 2) continue;
      const smallest = await shrink(READS_THEN_WRITES, seed, found);
      expect(smallest.problem).not.toBeNull();
      if (smallest.happened.length < found.happened.length) shrunk++;
    }
    expect(shrunk).toBeGreaterThan(0);
  });

  it('restores the time of the system', async () => {
    await runSeed(EACH_ONCE, { seed: 1 });
    expect(Math.abs(now() - performance.now())).toBeLessThan(60_000);
  });
});
