import { isNativeError } from 'node:util/types';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { QueryFailedError } from 'typeorm';

/** The database cannot be asked right now. */
export class StoreUnavailableError extends FresnelError {
  readonly code = 'store-unavailable';
  readonly isRetryable = true;
}

/** The database answers, and lets us in neither now nor later: the password is wrong, or the name. */
export class StorePermanentError extends FresnelError {
  readonly code = 'store-refusal';
  readonly isRetryable = false;
}

/** SQLSTATEs of a server that is away, starting, stopping or out of resources, or that has given us up for lost. */
const AWAY = /^(08|53|57P|25P03)/;

/** Runs a database action. @throws StoreUnavailableError when the database is away; other errors as they come */
export async function whileAvailable<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!isOutage(error)) throw error;
    throw new StoreUnavailableError(messageOf(error), { cause: error });
  }
}

/** Broken connections come without an SQLSTATE, some as a failed query, some bare. */
export function isOutage(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!isNativeError(cause) || cause instanceof FresnelError) return false;
  const state = sqlStateOf(cause);
  if (state !== null) return AWAY.test(state);
  const code: unknown = 'code' in cause ? cause.code : undefined;
  return (typeof code === 'string' && /^E[A-Z]+$/.test(code)) || /connection|timeout/i.test(cause.message);
}

/** The SQLSTATE of an error of the database, null for errors of the way there. Those have codes such as EPIPE. */
export function sqlStateOf(error: unknown): string | null {
  const code: unknown = isNativeError(error) && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : null;
}
