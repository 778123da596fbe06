import { AsyncLocalStorage } from 'node:async_hooks';

/** Learns how work moves that a watchdog watches. */
export interface WatchedWork {
  /** Work has moved, and does not move again for so many milliseconds. */
  onProgress(pauseMs: number): void;
  onWaiting(isWaiting: boolean): void;
}

const watched = new AsyncLocalStorage<WatchedWork>();

/** Runs work so that what it reports, in all functions that it calls and awaits, reaches its watchdog. */
export function runWatched<Result>(work: WatchedWork, act: () => Promise<Result>): Promise<Result> {
  return watched.run(work, act);
}

/**
 * Reports that the watched work moves: a part of it is done, or a dependency has answered or failed. Work that tries again
 * and again is not stuck.
 *
 * @param pauseMs how long the work now pauses
 */
export function reportProgress(pauseMs = 0): void {
  watched.getStore()?.onProgress(pauseMs);
}

/** Waits for an event on which others decide, and which may never come. The watched work is not stuck meanwhile. */
export async function waitForOthers<Result>(event: () => Promise<Result>): Promise<Result> {
  const work = watched.getStore();
  work?.onWaiting(true);
  try {
    return await event();
  } finally {
    work?.onWaiting(false);
  }
}
