import { type Hash, type Slot, toSlot } from '@fresnel/domain/primitives';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

/** The slots that a proof needs. */
export interface ProofSlots {
  indexedSlot: Slot;
  /** The trees do not change between this slot and the indexed slot. */
  minSlot: Slot;
  /** The block at `minSlot`; null if it is not stored, or if history lacks something: then `findProofState` has to be asked. */
  minBlockhash: Hash | null;
}

/**
 * `indexer_state s` with the slot after which no tree has changed up to the indexed slot. Old blocks are deleted. If none of those
 * that are left has changed a tree, the trees have not changed since the oldest one.
 */
export const INDEX_WITH_PROOF_SLOTS = `
  indexer_state s CROSS JOIN LATERAL (
    SELECT coalesce(
      (SELECT max(slot) FROM blocks WHERE changes_trees AND slot <= s.indexed_slot),
      (SELECT min(slot) FROM blocks)) AS slot
    OFFSET 0
  ) needed
  LEFT JOIN blocks needed_block ON needed_block.slot = needed.slot AND needed_block.slot <= s.indexed_slot
    AND (s.history_checked OR NOT EXISTS (SELECT FROM attested_ranges))
    AND NOT EXISTS (SELECT FROM history_findings)`;

/** The columns of `ProofSlots`, of INDEX_WITH_PROOF_SLOTS. */
export const PROOF_SLOT_COLUMNS = `s.indexed_slot, needed.slot AS min_slot, needed_block.blockhash AS min_blockhash`;

export interface ProofSlotRow extends WithIndexedSlot {
  min_slot: string | null;
  min_blockhash: Hash | null;
}

export const PROOF_SLOTS: Statement = {
  name: 'proof-slots',
  text: `SELECT ${PROOF_SLOT_COLUMNS} FROM ${INDEX_WITH_PROOF_SLOTS}`,
};

/** @throws NothingIndexedError before the first slot is indexed */
export async function findProofSlots(reader: Reader): Promise<ProofSlots> {
  return proofSlotsOf(await reader.query<ProofSlotRow>(PROOF_SLOTS, []));
}

/** @param rows have the same PROOF_SLOT_COLUMNS */
export function proofSlotsOf(rows: readonly ProofSlotRow[]): ProofSlots {
  const indexedSlot = toSlot(indexedSlotOf(rows));
  const [{ min_slot: minSlot, min_blockhash: minBlockhash }] = rows;
  return { indexedSlot, minSlot: toSlot(Number(minSlot ?? indexedSlot)), minBlockhash };
}
