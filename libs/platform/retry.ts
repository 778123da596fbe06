import { sleep } from './time';

/** How long the pauses between attempts are. */
export interface Backoff {
  firstMs: number;
  /** The pause doubles with each attempt, up to this. */
  longestMs: number;
  /** Each pause has a random length up to that (full jitter), so that processes do not retry at the same time. */
  isRandom?: boolean;
}

/** The pause after attempt number `attempt` (from 1). */
export function pauseAfter(attempt: number, { firstMs, longestMs, isRandom }: Backoff): number {
  const ms = Math.min(firstMs * 2 ** Math.min(attempt - 1, 20), longestMs);
  return isRandom ? Math.random() * ms : ms;
}

export interface RetryPolicy {
  backoff: Backoff;
  signal?: AbortSignal;
  /** Reports an error, or throws if another attempt cannot help. A number is another pause; 0: none. */
  onFailure: (error: unknown, attempt: number) => unknown;
}

/**
 * Repeats an attempt until it succeeds. `p-retry` and `cockatiel` set timers of Node, which a simulation cannot replace.
 *
 * @throws what `onFailure` throws, and the signal's reason
 */
export async function retry<Result>(attempt: () => Promise<Result>, policy: RetryPolicy): Promise<Result> {
  const { backoff, signal, onFailure } = policy;
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const given = await onFailure(error, count);
      const pauseMs = typeof given === 'number' ? given : pauseAfter(count, backoff);
      if (pauseMs > 0) await sleep(pauseMs, signal).catch(() => undefined);
      signal?.throwIfAborted();
    }
  }
}
