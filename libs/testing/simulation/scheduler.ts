import { useTime } from '@fresnel/platform/time';
import { Actors } from './actors';
import { compareOperations, nameOf, type Operation, type OperationFaults, type OperationTerms } from './operation';
import { SeededRandom } from './random';
import { VirtualTime } from './virtual-time';

/** A fault that happens to a store, a node or an actor between two operations. */
export interface Fault {
  name: string;
  /** Probability in each step. */
  probability: number;
  /** @returns what happened, for the trace; null if it is not possible now */
  happen: () => Promise<string | null> | string | null;
}

export interface SchedulerOptions {
  seed: number;
  /** The numbers of the only faults that happen; null: all. A finding is shrunk by removing faults. */
  only?: ReadonlySet<number> | null;
}

/** Turns of the event loop in which no operation and no timer appears: all actors wait for one. */
const QUIET_TURNS = 2;
/** A computation that lasts for more turns of the event loop waits for something that is not simulated. */
const MAX_TURNS = 20_000;
/** An actor that may go on does so with this probability, before another one is chosen. */
const STICKINESS = [0, 0.5, 0.9];
const CHANCE_OF_LATE_OPERATION = 0.05;
const CHANCE_OF_TIMER = 0.1;

/**
 * Decides by a seed in which order the operations of all actors are executed, one at a time.
 *
 * ```
 *  ingest A   ── getBlock? ─┐                         ┌── publish? …
 *  ingest B   ── publish? ──┼─ pending ── step() ── executes one, and waits until its actor has asked for the next ones
 *  prover     ── commit? ───┘                │
 *                                            └ or: a fault, a timer, an operation that was delayed
 * ```
 *
 * The order of operations and the faults are drawn from two sequences, so that a fault can be left out and most others stay.
 */
export class Scheduler {
  readonly actors = new Actors();
  readonly time = new VirtualTime(this.actors);
  /** Draws that concern no fault. */
  readonly random: SeededRandom;
  /** One line for each thing that happened. */
  readonly trace: string[] = [];
  /** The numbers of the faults that have happened. */
  readonly happened: number[] = [];
  /** Faults happen until it is healed. */
  isHealed = false;
  private readonly faultRandom: SeededRandom;
  private readonly only: ReadonlySet<number> | null;
  private readonly stickiness: number;
  private readonly restoreTime: () => void;
  private readonly systemRandom = Math.random;
  private pending: Operation[] = [];
  private late: Operation[] = [];
  private readonly tracked = new Set<Promise<unknown>>();
  private lastActor: string | null = null;
  private operations = 0;
  private drawnFaults = 0;

  constructor({ seed, only = null }: SchedulerOptions) {
    this.random = new SeededRandom(seed);
    this.faultRandom = new SeededRandom(seed ^ 0x5bd1e995);
    this.only = only;
    this.stickiness = this.random.pick(STICKINESS);
    this.restoreTime = useTime(this.time);
    const pauses = new SeededRandom(seed ^ 0x2545f491);
    Math.random = () => pauses.next();
  }

  /** Restores the time and the random numbers of the system. Pending operations are never executed. */
  end(): void {
    this.restoreTime();
    Math.random = this.systemRandom;
    this.pending = [];
    this.late = [];
  }

  /**
   * Executes a call of the current actor when the scheduler selects it.
   *
   * @param target what is called, for the trace
   * @param faults null: it is always executed and answered
   * @param terms default: the current actor, at any time
   */
  operation<Result>(
    target: string,
    name: string,
    execute: () => Result | Promise<Result>,
    faults: OperationFaults | null = null,
    { actor, isReady = () => true }: OperationTerms = {},
  ): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      const by = actor ?? this.actors.current;
      const run = async () => execute();
      const id = this.operations++;
      this.pending.push({ id, actor: by, target, name, faults, execute: run, resolve, reject, isReady });
    }) as Promise<Result>;
  }

  /** Waits, as a part of the step, for a call that is no operation. */
  async track<Result>(call: Promise<Result>): Promise<Result> {
    this.tracked.add(call);
    try {
      return await call;
    } finally {
      this.tracked.delete(call);
    }
  }

  /** Starts code as a process when the scheduler selects it. */
  spawn(actor: string, code: () => void): void {
    const { current } = this.actors;
    this.actors.current = actor;
    void this.operation('process', 'start', () => undefined).then(code);
    this.actors.current = current;
  }

  /** Makes one thing happen. @returns false if all actors wait for ever */
  async step(faults: readonly Fault[]): Promise<boolean> {
    await this.makeFault(faults);
    await this.executeLate();
    const operation = this.takeOperation();
    const isTimer = !operation || (this.time.isAwaited && this.random.chance(CHANCE_OF_TIMER));
    if (isTimer && this.time.advance()) {
      if (operation) this.pending.push(operation);
      await this.becomeQuiet();
      return true;
    }
    if (!operation) return this.late.length > 0 || this.hasFrozen;
    await this.execute(operation);
    await this.becomeQuiet();
    return true;
  }

  /** Ends all faults: frozen actors resume, and operations that were delayed are executed. */
  async heal(): Promise<void> {
    this.isHealed = true;
    this.trace.push('healed: no more faults');
    this.actors.thaw();
    for (const operation of this.late.splice(0)) await ignoreFailure(operation.execute());
    await this.becomeQuiet();
  }

  /** Forgets operations that were delayed, as a store does that fails over. @param target of the operations */
  forgetLate(target: string): void {
    this.late = this.late.filter((operation) => operation.target !== target);
  }

  /** The actor never goes on. Some of its pending operations may still be executed. */
  kill(actor: string): void {
    this.actors.set(actor, 'killed');
    const [own, others] = [
      this.pending.filter((one) => one.actor === actor),
      this.pending.filter((one) => one.actor !== actor),
    ];
    this.pending = others;
    this.late.push(...own.filter((operation) => operation.faults?.late !== undefined));
  }

  /** Whether a fault with a probability happens now. */
  drawFault(probability: number): boolean {
    if (this.isHealed || !this.faultRandom.chance(probability)) return false;
    const number = this.drawnFaults++;
    if (this.only && !this.only.has(number)) return false;
    this.happened.push(number);
    return true;
  }

  /** Draws for what a fault does. */
  pickForFault<Item>(items: readonly Item[]): Item {
    return this.faultRandom.pick(items);
  }

  private get hasFrozen(): boolean {
    return this.pending.some(({ actor }) => this.actors.stateOf(actor) === 'frozen');
  }

  private async makeFault(faults: readonly Fault[]): Promise<void> {
    for (const { name, probability, happen } of faults) {
      if (!this.drawFault(probability)) continue;
      const outcome = await happen();
      if (outcome !== null) this.trace.push(`FAULT ${this.happened.at(-1)} ${name}: ${outcome}`);
      await this.becomeQuiet();
    }
  }

  private async executeLate(): Promise<void> {
    if (this.late.length === 0 || !this.random.chance(CHANCE_OF_LATE_OPERATION)) return;
    const [operation] = this.late.splice(this.random.below(this.late.length), 1);
    this.trace.push(`LATE ${nameOf(operation)}`);
    await ignoreFailure(operation.execute());
    await this.becomeQuiet();
  }

  private takeOperation(): Operation | null {
    const ready = this.pending.filter(({ actor, isReady }) => this.actors.isRunning(actor) && isReady());
    if (ready.length === 0) return null;
    const own = ready.filter(({ actor }) => actor === this.lastActor);
    const isSticky = own.length > 0 && this.random.chance(this.stickiness);
    const operation = this.random.pick(isSticky ? own : ready);
    this.lastActor = operation.actor;
    this.pending.splice(this.pending.indexOf(operation), 1);
    return operation;
  }

  private async execute(operation: Operation): Promise<void> {
    const { faults, execute, resolve, reject } = operation;
    if (faults && this.drawFault(faults.notSent ?? 0)) {
      this.traceOperation(operation, 'not sent');
      this.fail(operation, faults.error());
    } else if (faults && this.drawFault(faults.late ?? 0)) {
      this.traceOperation(operation, 'delayed');
      this.late.push(operation);
      this.fail(operation, faults.error());
    } else if (faults && this.drawFault(faults.lostReply ?? 0)) {
      this.traceOperation(operation, 'reply lost');
      await ignoreFailure(execute());
      this.fail(operation, faults.error());
    } else {
      this.traceOperation(operation);
      const settle = await execute().then(
        (value) => () => {
          resolve(value);
        },
        (error: unknown) => () => {
          reject(error);
        },
      );
      this.actors.current = operation.actor;
      settle();
    }
  }

  private fail({ actor, reject }: Operation, error: Error): void {
    this.actors.current = actor;
    reject(error);
  }

  private traceOperation(operation: Operation, fault?: string): void {
    this.trace.push(fault ? `FAULT ${this.happened.at(-1)} ${nameOf(operation)}: ${fault}` : nameOf(operation));
  }

  /** Waits until every actor waits for an operation or a timer. */
  private async becomeQuiet(): Promise<void> {
    let before = '';
    for (let turn = 0, quiet = 0; quiet < QUIET_TURNS; turn++) {
      if (turn > MAX_TURNS) throw new Error('an actor waits for something that is not simulated');
      if (this.tracked.size > 0) await Promise.allSettled(this.tracked);
      await new Promise(setImmediate);
      const now = `${this.operations} ${this.pending.length} ${this.time.version}`;
      quiet = now === before && this.tracked.size === 0 ? quiet + 1 : 0;
      before = now;
    }
    this.actors.current = null;
    this.pending.sort(compareOperations);
  }
}

async function ignoreFailure(execution: Promise<unknown>): Promise<void> {
  await execution.catch(() => undefined);
}
