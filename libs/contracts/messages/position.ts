import { FresnelError } from '@fresnel/domain/primitives';

/** What a consumer has that took a partition over. */
export interface TakenPosition {
  /** Where to go on; null: at the beginning. */
  offset: bigint | null;
  /** Goes along with everything it writes; a later one takes the partition away from it. */
  epoch: bigint;
}

/** The partition belongs to another consumer by now. Nothing of the batch was written. */
export class StalePositionError extends FresnelError {
  readonly code = 'stale-position';
  readonly isRetryable = false;
}
