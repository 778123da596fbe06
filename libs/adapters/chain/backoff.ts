import { sleep } from '@fresnel/platform/time';

/** Exponential backoff with full jitter: the upper bound of the pause doubles with each attempt. */
export interface Backoff {
  firstMs: number;
  longestMs: number;
}

/** Waits after attempt number `attempt` (from 1). Returns early, without an error, when the signal aborts. */
export async function pause(attempt: number, backoff: Backoff, signal: AbortSignal, atLeastMs = 0): Promise<void> {
  const ceilingMs = Math.min(backoff.firstMs * 2 ** Math.min(attempt - 1, 20), backoff.longestMs);
  await wait(Math.max(Math.random() * ceilingMs, atLeastMs), signal);
}

/** Waits. Returns early, without an error, when the signal aborts. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(() => undefined);
}
