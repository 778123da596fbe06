import { FresnelError, type Slot } from '@fresnel/domain/primitives';

/** The slot that a call requires was not indexed in time. */
export class MinContextSlotError extends FresnelError {
  readonly code = 'min-context-slot';
  readonly isRetryable = true;

  /** @param contextSlot the indexed slot */
  constructor(readonly contextSlot: Slot) {
    super('Minimum context slot has not been reached');
  }
}
