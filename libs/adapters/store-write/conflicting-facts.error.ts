import { type SlotUpdate } from './slot-batch';

/**
 * These slots contradict facts stored by other slots. The transaction must be rolled back, and retried without them.
 */
export class ConflictingFactsError extends Error {
  constructor(readonly updates: readonly SlotUpdate[]) {
    super(`these slots contradict facts stored by other slots: ${updates.map(({ events }) => events.slot).join(', ')}`);
  }
}
