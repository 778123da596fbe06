/**
 * Base of every error that Fresnel throws on purpose.
 *
 * `code` is stable and names the case; `isRetryable` answers the question every caller has: can the same call succeed
 * later without anybody's help?
 */
export abstract class FresnelError extends Error {
  abstract readonly code: string;
  abstract readonly isRetryable: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Text that should be a key, a hash, a signature or a number, and is not. */
export class MalformedTextError extends FresnelError {
  readonly code = 'malformed-text';
  readonly isRetryable = false;
}

/** Bytes that end too early or hold what their format does not allow. */
export class MalformedBytesError extends FresnelError {
  readonly code = 'malformed-bytes';
  readonly isRetryable = false;
}

/** The message of anything that was thrown. A name with several addresses fails with an error for each and none of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
