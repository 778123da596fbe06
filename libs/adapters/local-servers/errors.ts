import { FresnelError } from '@fresnel/domain/primitives';

/** A server cannot be started on this machine; the message says what to do. */
export class LocalServerError extends FresnelError {
  readonly code = 'local-server';
  readonly isRetryable = false;
}
