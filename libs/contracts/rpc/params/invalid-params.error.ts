import { FresnelError } from '@fresnel/domain/primitives';

/** The params of a call are not what its method takes. The message is a sentence for the caller. */
export class InvalidParamsError extends FresnelError {
  readonly code = 'invalid-params';
  readonly isRetryable = false;

  constructor(why: string) {
    super(`Invalid params: ${why}`);
  }
}
