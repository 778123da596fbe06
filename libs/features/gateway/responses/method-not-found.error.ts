import { FresnelError } from '@fresnel/domain/primitives';

/** The gateway has no such method, or not on this chain. */
export class MethodNotFoundError extends FresnelError {
  readonly code = 'method-not-found';
  readonly isRetryable = false;

  constructor(method: string) {
    super(`There is no method ${method}`);
  }
}
