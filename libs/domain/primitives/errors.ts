/**
 * Base class of the errors that Fresnel throws on purpose.
 *
 * `code` is stable and identifies the kind of error. `isRetryable`: whether the same call can succeed later without
 * intervention.
 */
export abstract class FresnelError extends Error {
  abstract readonly code: string;
  abstract readonly isRetryable: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A text is not a valid key, hash, signature or number. */
export class MalformedTextError extends FresnelError {
  readonly code = 'malformed-text';
  readonly isRetryable = false;
}

/** Bytes are truncated or violate their format. */
export class MalformedBytesError extends FresnelError {
  readonly code = 'malformed-bytes';
  readonly isRetryable = false;
}

/**
 * The message of any thrown value. An AggregateError, for example of a host with several addresses, may have no own
 * message.
 */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
