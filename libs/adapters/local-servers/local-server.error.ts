import { FresnelError } from '@fresnel/domain/primitives';

/** A server cannot be started on this machine. The message says how to fix the problem. */
export class LocalServerError extends FresnelError {
  readonly code = 'local-server';
  readonly isRetryable = false;
}
