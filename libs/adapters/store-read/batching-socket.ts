import { Socket } from 'node:net';

/**
 * A socket that sends what is written in one turn of the event loop with one system call, at the end of the turn. Each statement
 * consists of four messages, and many requests arrive in one turn: pg would send them one statement at a time.
 */
export class BatchingSocket extends Socket {
  private isHolding = false;

  /** pg calls this before it writes a statement. */
  override cork(): void {
    if (this.isHolding) return;
    this.isHolding = true;
    super.cork();
    setImmediate(() => {
      this.send();
    });
  }

  /** pg calls this after each statement. The end of the turn does it instead. */
  override uncork(): void {}

  /** Sends everything before it ends the connection. */
  override end(...args: unknown[]): this {
    this.send();
    return super.end(...(args as []));
  }

  private send(): void {
    if (!this.isHolding) return;
    this.isHolding = false;
    super.uncork();
  }
}
