import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses between attempts: twice as long each time, and each anywhere up to that. */
export interface Backoff {
  firstMs: number;
  longestMs: number;
}

/** Waits before attempt number `attempt` (from 1). Returns early, without a word, when the signal says stop. */
export async function pause(attempt: number, backoff: Backoff, signal: AbortSignal, atLeastMs = 0): Promise<void> {
  const ceilingMs = Math.min(backoff.firstMs * 2 ** Math.min(attempt - 1, 20), backoff.longestMs);
  await wait(Math.max(Math.random() * ceilingMs, atLeastMs), signal);
}

/** Waits. Returns early, without a word, when the signal says stop. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
