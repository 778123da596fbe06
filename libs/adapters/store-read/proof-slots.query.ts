import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

/** The slots that a proof needs. */
export interface ProofSlots {
  indexedSlot: Slot;
  /** The trees do not change between this slot and the indexed slot. */
  minSlot: Slot;
}

/**
 * The slot after which no tree has changed up to the indexed slot of `indexer_state s`. Old blocks are deleted. If none of
 * those that are left has changed a tree, the trees have not changed since the oldest one.
 */
export const MIN_PROOF_SLOT = `coalesce(
      (SELECT max(slot) FROM blocks WHERE changes_trees AND slot <= s.indexed_slot),
      (SELECT min(slot) FROM blocks))`;

export const PROOF_SLOTS: Statement = {
  name: 'proof-slots',
  text: `
    SELECT s.indexed_slot, ${MIN_PROOF_SLOT} AS min_slot
    FROM indexer_state s`,
};

interface Row extends WithIndexedSlot {
  min_slot: string | null;
}

/** @throws NothingIndexedError before the first slot is indexed */
export async function findProofSlots(reader: Reader): Promise<ProofSlots> {
  const rows = await reader.query<Row>(PROOF_SLOTS, []);
  const indexedSlot = toSlot(indexedSlotOf(rows));
  return { indexedSlot, minSlot: toSlot(Number(rows[0].min_slot ?? indexedSlot)) };
}
