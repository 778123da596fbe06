import { isNativeError } from 'node:util/types';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { reportProgress } from '@fresnel/platform';
import { QueryFailedError } from 'typeorm';

/** The database is unreachable or overloaded. */
export class StoreUnavailableError extends FresnelError {
  readonly code = 'store-unavailable';
  readonly isRetryable = true;
}

/** The database rejects the connection permanently, for example because of a wrong password or database name. */
export class StorePermanentError extends FresnelError {
  readonly code = 'store-permanent';
  readonly isRetryable = false;
}

/** SQLSTATE of a connection to a database that does not exist. */
export const NO_SUCH_DATABASE = '3D000';

/** SQLSTATE of a connection to a database with ALLOW_CONNECTIONS false. */
const NO_CONNECTIONS_ALLOWED = '55000';

/**
 * SQLSTATEs of a server that is unreachable, starting, stopping, out of resources, or that ended an idle transaction or a
 * statement that took too long; and of a database that is being copied or restored: it rejects connections, or it is dropped and created.
 */
const UNAVAILABLE = new RegExp(`^(08|53|57P|25P03|57014|${NO_CONNECTIONS_ALLOWED}|${NO_SUCH_DATABASE})`);

/**
 * Runs a database action of a process that has connected before. Its end is progress of watched work, also if it fails.
 *
 * @throws StoreUnavailableError when the database is unavailable; other errors unchanged
 */
export async function whileAvailable<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!isOutage(error)) throw error;
    throw new StoreUnavailableError(messageOf(error), { cause: error });
  } finally {
    reportProgress();
  }
}

/** Errors of broken connections have no SQLSTATE. Some arrive wrapped in a QueryFailedError, others bare. */
export function isOutage(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!isNativeError(cause) || cause instanceof FresnelError) return false;
  const state = sqlStateOf(cause);
  if (state !== null) return UNAVAILABLE.test(state);
  const code: unknown = 'code' in cause ? cause.code : undefined;
  return (typeof code === 'string' && /^E[A-Z]+$/.test(code)) || /connection|timeout/i.test(cause.message);
}

/** The SQLSTATE of a database error; null for connection errors, which have codes such as EPIPE. */
export function sqlStateOf(error: unknown): string | null {
  const code: unknown = isNativeError(error) && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : null;
}
