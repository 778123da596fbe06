import { FresnelError } from '@fresnel/domain/primitives';

/** What the chain reported does not follow from our copy of the tree: the copy is wrong and must not be served. */
export class TreeMismatchError extends FresnelError {
  readonly code = 'tree-mismatch';
  readonly isRetryable = false;
}
