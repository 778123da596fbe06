import { type Timer, type TimeSource } from '@fresnel/platform/time';
import { type Actors } from './actors';

interface PlannedCall {
  id: number;
  at: number;
  actor: string | null;
  call: () => void;
}

/** Time that passes only when the scheduler advances it. The timers of a frozen actor expire when it resumes. */
export class VirtualTime implements TimeSource {
  /** In the order in which they were set. */
  private readonly calls = new Set<PlannedCall>();
  private count = 0;

  /** @param ms both clocks start here */
  constructor(
    private readonly actors: Actors,
    private ms = 1_700_000_000_000,
  ) {}

  now(): number {
    return this.ms;
  }

  wallClock(): number {
    return this.ms;
  }

  after(ms: number, call: () => void): Timer {
    const planned = { id: this.count++, at: this.ms + Math.max(ms, 0), actor: this.actors.current, call };
    this.calls.add(planned);
    return { cancel: () => this.calls.delete(planned), unref: () => undefined };
  }

  /** Changes with each timer that is set, made or canceled. */
  get version(): string {
    return `${this.count} ${this.calls.size}`;
  }

  /** Whether an actor that runs waits for a timer. */
  get isAwaited(): boolean {
    return this.next() !== null;
  }

  /** Passes to the next timer, and makes its call for its actor. @returns false if no actor waits for one */
  advance(): boolean {
    const next = this.next();
    if (!next) return false;
    this.calls.delete(next);
    this.ms = Math.max(this.ms, next.at);
    this.actors.current = next.actor;
    next.call();
    return true;
  }

  /** Lets time pass without a call, as it does for a process that is frozen. */
  pass(ms: number): void {
    this.ms += ms;
  }

  private next(): PlannedCall | null {
    let next: PlannedCall | null = null;
    for (const planned of this.calls) {
      if (this.actors.isRunning(planned.actor) && (!next || planned.at < next.at)) next = planned;
    }
    return next;
  }
}
