import { FresnelError } from '@fresnel/domain/primitives';

/** A record whose bytes are not a message of a version that is read here. */
export class UnreadableMessageError extends FresnelError {
  readonly code = 'unreadable-message';
  readonly isRetryable = false;
}
