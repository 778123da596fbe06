import { isNativeError } from 'node:util/types';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { reportProgress } from '@fresnel/platform';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';

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
const NO_SUCH_DATABASE = '3D000';

/** SQLSTATE of a connection to a database with ALLOW_CONNECTIONS false. */
const NO_CONNECTIONS_ALLOWED = '55000';

/** SQLSTATE of a write on a server that only reads: after a failover, the old primary answers on the open connections. */
export const READ_ONLY = '25006';

/** SQLSTATE of a statement that took too long. */
const CANCELLED = '57014';

/**
 * SQLSTATEs of a server that is unreachable, starting, stopping, out of resources, or that ended an idle transaction or a
 * statement that took too long; and of a database that is being copied or restored: it rejects connections, or it is dropped and created.
 */
const UNAVAILABLE = new RegExp(
  `^(08|53|57P|25P03|${READ_ONLY}|${CANCELLED}|${NO_CONNECTIONS_ALLOWED}|${NO_SUCH_DATABASE})`,
);

/** SQLSTATE of a startup that the server does not understand. A pooler uses it for most of its errors. */
const PROTOCOL_VIOLATION = '08P01';
/** What a pooler says while it has no connection to its server, or none that is free. */
const POOLER_WAITS = /server (login|conn|is|closed)|to server|timeout|try again|connections allowed|shutting down/i;

/** Codes of broken connections, and of a name server that fails (`EAI_…`). */
const NETWORK_CODE = /^E(AI_)?[A-Z]+$/;
/** Errors of the driver without a code. A server that does not support TLS has answered. */
const NETWORK_MESSAGE = /^(?!.*\bSSL\b).*(connection|timeout)/i;

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
  // TypeORM gives up a transaction whose connection is lost between two statements, and says only this at the next one.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!isNativeError(cause) || cause instanceof FresnelError) return false;
  const state = sqlStateOf(cause);
  if (state !== null) return UNAVAILABLE.test(state);
  const code: unknown = 'code' in cause ? cause.code : undefined;
  // A file that the URL names, such as a certificate, cannot be read.
  if ('syscall' in cause && cause.syscall === 'open') return false;
  return (typeof code === 'string' && NETWORK_CODE.test(code)) || NETWORK_MESSAGE.test(cause.message);
}

/**
 * Whether a server has refused the first connection of a process, and would refuse the next one: there is no such database, or it
 * does not understand the startup, such as a pooler that does not know a parameter.
 */
export function isRefusal(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === NO_SUCH_DATABASE || (state === PROTOCOL_VIOLATION && !POOLER_WAITS.test(messageOf(error)));
}

/** Why a read failed: the server cancelled it after its time, or did not answer in time. Else, another connection may answer it. */
export type ReadFault = 'cancelled' | 'late' | 'broken' | 'conflict' | 'unprepared';

const READ_FAULTS: readonly [RegExp, ReadFault][] = [
  [new RegExp(`^${CANCELLED}$`), 'cancelled'],
  [/^(08|57P0)/, 'broken'],
  // A replica cancels a read, or ends its connection, if the read delays the replay of changes.
  [/^40/, 'conflict'],
  // The server does not have a statement that was prepared, or has it already, or its result has changed since.
  [/^(26000|42P05|0A000)$/, 'unprepared'],
];
/** What a server says of a prepared statement that is another client's: both are behind a pooler. */
const OTHER_STATEMENT = /^bind message supplies/;

/** @returns null for an error of the statement itself */
export function readFaultOf(error: unknown): ReadFault | null {
  const state = sqlStateOf(error);
  if (state === null) return messageOf(error) === 'Query read timeout' ? 'late' : 'broken';
  if (state === PROTOCOL_VIOLATION && OTHER_STATEMENT.test(messageOf(error))) return 'unprepared';
  return READ_FAULTS.find(([states]) => states.test(state))?.[1] ?? null;
}

/** The SQLSTATE of a database error; null for connection errors, which have codes such as EPIPE. */
export function sqlStateOf(error: unknown): string | null {
  const code: unknown = isNativeError(error) && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : null;
}
