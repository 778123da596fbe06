import { FresnelError } from '@fresnel/domain/primitives';
import { type Logger } from './logger';
import { pauseAfter, retry } from './retry';

const BACKOFF = { firstMs: 100, longestMs: 5_000 };

/**
 * Retries until an attempt succeeds, because a dependency may start later than the service.
 *
 * @param attempt throws a retryable error while the dependency is unavailable
 * @returns null if the signal aborts first
 * @throws any error that is not retryable
 */
export async function retryUntilAvailable<Result>(
  attempt: () => Promise<Result>,
  { signal, logger }: { signal: AbortSignal; logger: Logger },
): Promise<Result | null> {
  const onFailure = (error: unknown, count: number) => {
    if (!(error instanceof FresnelError && error.isRetryable)) throw error;
    logger.warn({ reason: error.message, retryInMs: pauseAfter(count, BACKOFF) }, 'dependency unavailable, retrying');
  };
  if (signal.aborted) return null;
  try {
    return await retry(attempt, { backoff: BACKOFF, signal, onFailure });
  } catch (error) {
    if (error === signal.reason) return null;
    throw error;
  }
}
