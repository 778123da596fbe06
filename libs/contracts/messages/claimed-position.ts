import { FresnelError } from '@fresnel/domain/primitives';

/** The position of a claimed partition. */
export interface ClaimedPosition {
  /** Offset of the next record; null: the start of the partition. */
  offset: bigint | null;
  /** Fencing epoch, written with every change. A later claim has a higher epoch and fences this one. */
  epoch: bigint;
}

/** Another consumer has claimed the partition with a higher epoch. Nothing of the batch was written. */
export class FencedError extends FresnelError {
  readonly code = 'fenced';
  readonly isRetryable = false;
}
