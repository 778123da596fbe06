/** Lets at most `max` tasks run at once. The others wait for their turn, the oldest first. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /** Runs the task when it is its turn. @throws the signal's reason if it aborts before */
  async run<Value>(task: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    if (this.running >= this.max) await new Promise<void>((start) => this.waiting.push(start));
    else this.running++;
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
