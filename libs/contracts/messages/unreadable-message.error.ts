import { FresnelError } from '@fresnel/domain/primitives';

/** The bytes of a record are not a message of a supported version. */
export class UnreadableMessageError extends FresnelError {
  readonly code = 'unreadable-message';
  readonly isRetryable = false;
}
