import { FresnelError } from '@fresnel/domain/primitives';

/** An event of the chain contradicts the stored copy of a tree, so the copy is wrong and must not be served. */
export class TreeMismatchError extends FresnelError {
  readonly code = 'tree-mismatch';
  readonly isRetryable = false;
}
