import { FresnelError } from '@fresnel/domain/primitives';

/** The request is valid, but the state of the index does not allow an answer. The message is a sentence for the caller. */
export class CallStateError extends FresnelError {
  readonly code = 'call-state';
  readonly isRetryable = false;
}
