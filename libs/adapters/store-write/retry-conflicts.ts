import { sqlStateOf } from '@fresnel/adapters/store-schema';
import { retry } from '@fresnel/platform';
import { QueryFailedError } from 'typeorm';

/** SQLSTATEs after which a transaction is retried: class 40 (rolled back), a lock not available. */
const CONFLICT_STATES = /^(40...|55P03)$/;
const BACKOFF = { firstMs: 40, longestMs: 5_000, isRandom: true };

/** Called before a transaction is retried. @param attempt 1 after the first failure */
export type OnConflict = (sqlState: string, attempt: number) => void;

/** Repeats a transaction until it does not conflict with another one, with growing pauses. */
export function retryConflicts<Result>(transact: () => Promise<Result>, onConflict: OnConflict): Promise<Result> {
  const onFailure = (error: unknown, attempt: number) => {
    const state = conflictStateOf(error);
    if (state === null) throw error;
    onConflict(state, attempt);
  };
  return retry(transact, { backoff: BACKOFF, onFailure });
}

function conflictStateOf(error: unknown): string | null {
  if (!(error instanceof QueryFailedError)) return null;
  const state = sqlStateOf(error.driverError);
  return state !== null && CONFLICT_STATES.test(state) ? state : null;
}
