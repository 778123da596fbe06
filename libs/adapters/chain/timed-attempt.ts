import { after, type Timer } from '@fresnel/platform/time';

/**
 * Aborts with its parent signal or after a timeout. `AbortSignal.any` with a long-lived signal leaks memory in Node 20.
 */
export class TimedAttempt {
  private readonly controller = new AbortController();
  private timer: Timer;
  private readonly onAbort = () => {
    this.controller.abort(this.parent.reason);
  };

  constructor(
    private readonly parent: AbortSignal,
    private readonly timeoutMs: number,
  ) {
    parent.addEventListener('abort', this.onAbort, { once: true });
    if (parent.aborted) this.onAbort();
    this.timer = this.start();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Stops the time: something has arrived, and the caller works on it. */
  suspend(): void {
    this.timer.cancel();
  }

  /** Waits for what arrives next, as long as for the first. */
  resume(): void {
    this.timer.cancel();
    this.timer = this.start();
  }

  end(): void {
    this.timer.cancel();
    this.parent.removeEventListener('abort', this.onAbort);
  }

  private start(): Timer {
    return after(this.timeoutMs, () => {
      this.controller.abort(new Error(`no response within ${this.timeoutMs} ms`));
    });
  }
}
