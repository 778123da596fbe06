import { setTimeout as sleep } from 'node:timers/promises';
import { FresnelError } from '@fresnel/domain/primitives';
import { type Logger } from './logger';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Tries until it succeeds: what a service needs may come later than the service.
 *
 * @param attempt throws errors that are retryable while something is away
 * @returns null when the signal says stop before
 * @throws anything that is not retryable
 */
export async function untilAvailable<Result>(
  attempt: () => Promise<Result>,
  { signal, logger }: { signal: AbortSignal; logger: Logger },
): Promise<Result | null> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof FresnelError && error.isRetryable)) throw error;
      logger.warn({ reason: error.message, pauseMs }, 'cannot begin yet, trying again');
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}
