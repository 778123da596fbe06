import { FresnelError } from '@fresnel/domain/primitives';

/** Redis cannot be asked right now. */
export class TreeStoreUnavailableError extends FresnelError {
  readonly code = 'tree-store-unavailable';
  readonly isRetryable = true;
}

/** Redis has lost a part of a tree. It is refused until the writer has built it again. */
export class TreeStoreDamagedError extends FresnelError {
  readonly code = 'tree-store-damaged';
  readonly isRetryable = false;
}
