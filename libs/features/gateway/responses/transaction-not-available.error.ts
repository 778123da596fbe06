import { FresnelError } from '@fresnel/domain/primitives';

/** A transaction is indexed, its source gave no bytes of it, and no node has it. */
export class TransactionNotAvailableError extends FresnelError {
  readonly code = 'transaction-not-available';
  readonly isRetryable = true;

  constructor(readonly signature: string) {
    super(`no node has the transaction ${signature}`);
  }
}
