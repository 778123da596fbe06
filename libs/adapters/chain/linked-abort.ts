import { setMaxListeners } from 'node:events';

/**
 * An abort controller that also aborts when its parent signal aborts.
 *
 * `AbortSignal.any` would do, but with a long-lived parent it leaks memory in Node 20.
 */
export class LinkedAbort {
  private readonly controller = new AbortController();
  private readonly onAbort = () => {
    this.controller.abort(this.parent.reason);
  };

  constructor(private readonly parent: AbortSignal) {
    setMaxListeners(0, this.controller.signal); // one for each concurrent request
    parent.addEventListener('abort', this.onAbort, { once: true });
    if (parent.aborted) this.onAbort();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason?: unknown): void {
    this.parent.removeEventListener('abort', this.onAbort);
    this.controller.abort(reason);
  }
}
