import { sqlStateOf } from '@fresnel/adapters/store-schema';
import { sleep } from '@fresnel/platform/time';
import { QueryFailedError } from 'typeorm';

/** SQLSTATEs after which a transaction is retried: class 40 (rolled back), a lock not available. */
const CONFLICT_STATES = /^(40...|55P03)$/;
const MAX_PAUSE_MS = 5_000;

/** Called before a transaction is retried. @param attempt 1 after the first failure */
export type OnConflict = (sqlState: string, attempt: number) => void;

/** Repeats a transaction until it does not conflict with another one, with growing pauses. */
export async function retryConflicts<Result>(transact: () => Promise<Result>, onConflict: OnConflict): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact();
    } catch (error) {
      const state = conflictStateOf(error);
      if (state === null) throw error;
      onConflict(state, attempt);
      await sleep(Math.random() * Math.min(20 * 2 ** Math.min(attempt, 10), MAX_PAUSE_MS));
    }
  }
}

function conflictStateOf(error: unknown): string | null {
  if (!(error instanceof QueryFailedError)) return null;
  const state = sqlStateOf(error.driverError);
  return state !== null && CONFLICT_STATES.test(state) ? state : null;
}
