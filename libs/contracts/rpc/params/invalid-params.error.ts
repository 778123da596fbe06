import { FresnelError } from '@fresnel/domain/primitives';

/** The params of a call are malformed. The message is a sentence for the caller. */
export class InvalidParamsError extends FresnelError {
  readonly code = 'invalid-params';
  readonly isRetryable = false;

  constructor(reason: string) {
    super(`Invalid params: ${reason}`);
  }
}
