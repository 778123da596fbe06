import { NothingIndexedError } from './errors';

/** Ids of transactions below this one belong to slots at or below the indexed slot of `indexer_state s`. */
export const NEXT_SLOT_ID = `((s.indexed_slot + 1) << 16)`;

/** A column that every statement returns: the slot at which the row is true. */
export interface WithIndexedSlot {
  indexed_slot: string | null;
}

/** The slot of a statement's rows. @throws NothingIndexedError before the first slot is indexed */
export function indexedSlotOf(rows: readonly WithIndexedSlot[]): number {
  const slot = rows.at(0)?.indexed_slot ?? null;
  if (slot === null) throw new NothingIndexedError();
  return Number(slot);
}
