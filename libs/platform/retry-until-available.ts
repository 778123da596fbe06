import { FresnelError } from '@fresnel/domain/primitives';
import { type Logger } from './logger';
import { sleep } from './time';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;

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
  for (let retryInMs = FIRST_DELAY_MS; !signal.aborted; retryInMs = Math.min(retryInMs * 2, MAX_DELAY_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof FresnelError && error.isRetryable)) throw error;
      logger.warn({ reason: error.message, retryInMs }, 'dependency unavailable, retrying');
    }
    await sleep(retryInMs, signal).catch(() => undefined);
  }
  return null;
}
