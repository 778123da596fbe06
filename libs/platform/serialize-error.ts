import { isNativeError } from 'node:util/types';

/** An error in the log. */
export interface SerializedError {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: unknown;
  errors?: unknown[];
}

const MAX_DEPTH = 5;

/**
 * Converts an error for the log. Only the listed members are logged: drivers add others, such as the command or the
 * parameters of a query, which contain passwords and data.
 */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!isError(error)) return typeof error === 'object' && error !== null ? '[object]' : error;
  if (depth === MAX_DEPTH) return error.message;
  const { message, stack } = error;
  const serialized: SerializedError = { type: error.name, message, stack };
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) {
    serialized.code = error.code;
  }
  if (error.cause !== undefined) serialized.cause = serializeError(error.cause, depth + 1);
  if ('errors' in error && Array.isArray(error.errors)) {
    serialized.errors = error.errors.map((part) => serializeError(part, depth + 1));
  }
  return serialized;
}

/** Errors of other realms are native errors, and some libraries have errors that are not. */
function isError(error: unknown): error is Error {
  return error instanceof Error || isNativeError(error);
}
