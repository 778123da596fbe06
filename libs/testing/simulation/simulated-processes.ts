import { messageOf } from '@fresnel/domain/primitives';
import { sleep } from '@fresnel/platform/time';
import { type SimulatedBroker } from './simulated-broker';
import { type Fault, type Scheduler } from './scheduler';

/** Nobody but an operator can help after an exit with this in its message. */
const FINAL_EXIT = /rebuild the index/;
const RESTART_MS = 500;

/** Probabilities in each step, and which processes are concerned; default: all alike. */
export interface ProcessFaults {
  freeze: number;
  resume: number;
  kill: number;
  /** A name may be there several times. */
  frozen?: readonly string[];
  killed?: readonly string[];
}

/** The processes of a world. Each is started again whenever it ends or is killed, as another actor. */
export class SimulatedProcesses {
  /** Why a process gave up for good; null: none has. */
  failure: string | null = null;
  /** Aborts at the end: Node keeps signals that may abort, and with them the world that waits for them. */
  private readonly stop = new AbortController();
  /** How often each process was started. */
  private readonly starts = new Map<string, number>();
  private readonly actors = new Map<string, string>();
  /** Frozen actors that an operator took for ended ones. */
  private overlooked: string[] = [];

  /**
   * @param run runs a process
   * @param onKilled releases what a process holds elsewhere
   */
  constructor(
    private readonly scheduler: Scheduler,
    private readonly broker: SimulatedBroker,
    private readonly names: readonly string[],
    private readonly run: (name: string, actor: string, signal: AbortSignal) => Promise<void>,
    private readonly onKilled: (actor: string) => Promise<void> = () => Promise.resolve(),
  ) {}

  startAll(): void {
    for (const name of this.names) this.start(name);
  }

  /** Aborts when the world is closed. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  close(): void {
    this.stop.abort();
  }

  /** The actor that a process is now. */
  actorOf(name: string): string {
    return this.actors.get(name) ?? name;
  }

  faults({ freeze, resume, kill, frozen = this.names, killed = this.names }: ProcessFaults): Fault[] {
    const { scheduler } = this;
    return [
      {
        name: 'freeze',
        probability: freeze,
        happen: () => {
          const actor = this.actorOf(scheduler.pickForFault(frozen));
          scheduler.actors.set(actor, 'frozen');
          return actor;
        },
      },
      {
        name: 'resume',
        probability: resume,
        happen: () => {
          scheduler.actors.thaw();
          return null;
        },
      },
      {
        name: 'kill',
        probability: kill,
        happen: async () => {
          const name = scheduler.pickForFault(killed);
          const actor = this.actorOf(name);
          this.end(actor);
          await this.onKilled(actor);
          this.start(name);
          return actor;
        },
      },
    ];
  }

  /**
   * Ends all processes, and starts them again after an operator has done something.
   *
   * @param isOverlooked of those that are frozen: they may resume when others have taken their places
   */
  async replaceAll(isOverlooked: (name: string) => boolean, act: () => Promise<void>): Promise<void> {
    const { scheduler, broker } = this;
    for (const name of this.names) {
      const actor = this.actorOf(name);
      broker.remove(actor);
      if (scheduler.actors.stateOf(actor) === 'frozen' && isOverlooked(name)) this.overlooked.push(actor);
      else this.end(actor);
    }
    await act();
    this.startAll();
  }

  /** Ends the processes whose places others have taken. */
  endOverlooked(): void {
    for (const actor of this.overlooked.splice(0)) this.end(actor);
  }

  private end(actor: string): void {
    this.scheduler.kill(actor);
    this.broker.remove(actor);
  }

  private start(name: string): void {
    const count = (this.starts.get(name) ?? 0) + 1;
    this.starts.set(name, count);
    const actor = count === 1 ? name : `${name} (${count})`;
    this.actors.set(name, actor);
    this.scheduler.spawn(actor, () => {
      this.run(name, actor, this.stop.signal).then(
        () => this.restart(name, actor, 'ended'),
        (error: unknown) => this.restart(name, actor, messageOf(error)),
      );
    });
  }

  private async restart(name: string, actor: string, reason: string): Promise<void> {
    if (this.stop.signal.aborted) return;
    this.scheduler.trace.push(`${actor} exits: ${reason}`);
    if (FINAL_EXIT.test(reason)) this.failure ??= `${name} gives up: ${reason}`;
    await sleep(RESTART_MS);
    if (this.actorOf(name) === actor) this.start(name);
  }
}
