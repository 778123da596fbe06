import { FresnelError } from '@fresnel/domain/primitives';

/** No slot is indexed yet, so a response would have no `context.slot`. */
export class NothingIndexedError extends FresnelError {
  readonly code = 'nothing-indexed';
  readonly isRetryable = true;

  constructor() {
    super('Nothing is indexed yet');
  }
}

/** An owner has more accounts than a filtered list may read. */
export class TooManyAccountsError extends FresnelError {
  readonly code = 'too-many-accounts';
  readonly isRetryable = false;
}

/** The signatures of all transactions of the newest indexed block are not recorded. */
export class SignaturesNotRecordedError extends FresnelError {
  readonly code = 'signatures-not-recorded';
  readonly isRetryable = true;

  constructor() {
    super(
      'Transactions without compression are not recorded: the index is catching up, or its stream of blocks omits these transactions',
    );
  }
}
