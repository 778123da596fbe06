import { FresnelError } from '@fresnel/domain/primitives';

/** Redis is unreachable or overloaded. */
export class TreeStoreUnavailableError extends FresnelError {
  readonly code = 'tree-store-unavailable';
  readonly isRetryable = true;
}

/** Redis lost a part of a tree. Reads of the tree fail until the writer has rebuilt it. */
export class TreeStoreDamagedError extends FresnelError {
  readonly code = 'tree-store-damaged';
  readonly isRetryable = false;
}
