import { FresnelError } from '@fresnel/domain/primitives';

/** There is no indexed slot yet, so no answer could say at which slot it is true. */
export class NothingIndexedError extends FresnelError {
  readonly code = 'nothing-indexed';
  readonly isRetryable = true;

  constructor() {
    super('Nothing is indexed yet');
  }
}
