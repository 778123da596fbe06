import { FresnelError } from '@fresnel/domain/primitives';

/** Redis is unreachable or overloaded. */
export class TreeStoreUnavailableError extends FresnelError {
  readonly code = 'tree-store-unavailable';
  readonly isRetryable = true;
}

/** Redis lost a part of a tree. Reads of the tree fail until the writer has loaded it. */
export class TreeStoreDamagedError extends FresnelError {
  readonly code = 'tree-store-damaged';
  readonly isRetryable = true;
}

/** A tree is at another entry than the one that was read before. */
export class TreeMovedError extends FresnelError {
  readonly code = 'tree-moved';
  readonly isRetryable = true;
}
