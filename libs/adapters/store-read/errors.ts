import { FresnelError } from '@fresnel/domain/primitives';

/** The database cannot be asked right now. */
export class StoreUnavailableError extends FresnelError {
  readonly code = 'store-unavailable';
  readonly isRetryable = true;
}

/** There is no indexed slot yet, so no answer could say at which slot it is true. */
export class NothingIndexedError extends FresnelError {
  readonly code = 'nothing-indexed';
  readonly isRetryable = true;

  constructor() {
    super('Nothing is indexed yet');
  }
}
