import { runWatched, type WatchedWork } from './progress';
import { now } from './time';

/** Work that has not moved for this time hangs: each call to a store, a broker or a node has a shorter time limit. */
const STUCK_MS = 300_000;

/** Watches work that must not hang. Work moves by `reportProgress`, and with each pause (`sleep`). */
export class Watchdog {
  private readonly running = new Set<Work>();

  /** @param name as in "… has not moved for 301 s" */
  async watch<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
    const work = new Work(name);
    this.running.add(work);
    try {
      return await runWatched(work, act);
    } finally {
      this.running.delete(work);
    }
  }

  /** The work that hangs, one sentence each. */
  findStuck(): string[] {
    return [...this.running].flatMap((work) => {
      const stillMs = work.stillMs();
      return stillMs > STUCK_MS ? [`${work.name} has not moved for ${Math.round(stillMs / 1000)} s`] : [];
    });
  }
}

class Work implements WatchedWork {
  private movedAt = now();
  private waiting = 0;

  constructor(readonly name: string) {}

  onProgress(pauseMs: number): void {
    this.movedAt = Math.max(this.movedAt, now() + pauseMs);
  }

  onWaiting(isWaiting: boolean): void {
    this.waiting += isWaiting ? 1 : -1;
    this.onProgress(0);
  }

  /** For how long it has not moved, although it should. */
  stillMs(): number {
    return this.waiting > 0 ? 0 : now() - this.movedAt;
  }
}
