import { type TimeSource, type Timer } from '@fresnel/platform/time';

interface PlannedCall {
  at: number;
  call: () => void;
}

/** Time that passes only when a test advances it. Pass it to `useTime`. */
export class ManualTime implements TimeSource {
  private readonly calls = new Set<PlannedCall>();

  /** @param ms both clocks start here */
  constructor(private ms = 0) {}

  now(): number {
    return this.ms;
  }

  wallClock(): number {
    return this.ms;
  }

  after(ms: number, call: () => void): Timer {
    const planned = { at: this.ms + ms, call };
    this.calls.add(planned);
    return { cancel: () => this.calls.delete(planned), unref: () => undefined };
  }

  /** The number of timers that have not expired. */
  get pending(): number {
    return this.calls.size;
  }

  /** Lets time pass, and makes the calls that are due in their order. */
  advance(ms: number): void {
    const until = this.ms + ms;
    for (let due = this.nextUntil(until); due; due = this.nextUntil(until)) {
      this.calls.delete(due);
      this.ms = Math.max(this.ms, due.at);
      due.call();
    }
    this.ms = until;
  }

  private nextUntil(until: number): PlannedCall | undefined {
    return [...this.calls].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
  }
}
