/**
 * Ends with a signal that lives longer, or before it.
 *
 * Made by hand: `AbortSignal.any` on a signal that lives long leaks in Node 20.
 */
export class LinkedAbort {
  private readonly controller = new AbortController();
  private readonly onAbort = () => {
    this.controller.abort(this.parent.reason);
  };

  constructor(private readonly parent: AbortSignal) {
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
