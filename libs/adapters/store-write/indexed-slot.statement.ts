import { type EntityManager } from 'typeorm';

/** Also takes the row's lock, so that of two writers the second sees the blocks of the first. */
const LOCK_INDEXER_STATE = `
  UPDATE indexer_state SET
    first_slot = coalesce(first_slot, $1::bigint),
    chain_tip = greatest(chain_tip, $2::bigint),
    chain_tip_seen_at = greatest(chain_tip_seen_at, $3::timestamptz)
  RETURNING first_slot`;

/** From there the indexed slot can advance again: the block may stand beside the chain, and its parent not be stored. */
export const LOWER_INDEXED_SLOT = `
  UPDATE indexer_state SET indexed_slot = (
    SELECT max(b.slot) FROM blocks b WHERE b.slot BETWEEN indexer_state.first_slot AND $1::bigint)
  WHERE indexed_slot > $1::bigint
  RETURNING indexed_slot`;

const ADVANCE_INDEXED_SLOT = `
  WITH RECURSIVE chain AS (
    SELECT b.slot, b.blockhash FROM blocks b, indexer_state s WHERE b.slot = coalesce(s.indexed_slot, s.first_slot)
    UNION ALL
    SELECT b.slot, b.blockhash FROM chain JOIN blocks b ON b.parent_slot = chain.slot AND b.parent_blockhash = chain.blockhash
  )
  UPDATE indexer_state SET indexed_slot = tip.slot
  FROM (SELECT max(slot) AS slot FROM chain) tip
  WHERE tip.slot IS NOT NULL AND tip.slot IS DISTINCT FROM indexed_slot
  RETURNING indexed_slot`;

/** Newest slot that the source said exists. */
export interface ChainTip {
  slot: number;
  seenAt: Date;
}

/**
 * Notes how far the chain is. From then on until the end of the transaction no other writer moves the indexed slot, and
 * what writers before this one wrote is seen.
 *
 * @param firstSlot set when the batch holds the very first block
 * @returns the first slot of the index, null before there is one
 */
export async function lockIndexerState(
  manager: EntityManager,
  firstSlot: number | null,
  chainTip: ChainTip | null,
): Promise<number | null> {
  const values = [firstSlot, chainTip?.slot ?? null, chainTip?.seenAt ?? null];
  // An UPDATE answers with the rows and their count.
  const [[state]] = await manager.query<[{ first_slot: string | null }[], number]>(LOCK_INDEXER_STATE, values);
  return state.first_slot === null ? null : Number(state.first_slot);
}

/**
 * Moves the indexed slot back, to a slot at most; see `touchState`.
 *
 * @returns the new indexed slot, null when it was there already
 */
export function lowerIndexedSlot(manager: EntityManager, atMost: number): Promise<number | null> {
  return moveIndexedSlot(manager, LOWER_INDEXED_SLOT, [atMost]);
}

/**
 * Moves the indexed slot to the tip of the unbroken chain of stored blocks; see `touchState`.
 *
 * @returns the new indexed slot, null when it did not move
 */
export function advanceIndexedSlot(manager: EntityManager): Promise<number | null> {
  return moveIndexedSlot(manager, ADVANCE_INDEXED_SLOT, []);
}

async function moveIndexedSlot(manager: EntityManager, sql: string, values: number[]): Promise<number | null> {
  const [rows] = await manager.query<[{ indexed_slot: string | null }[], number]>(sql, values);
  const moved = rows.at(0)?.indexed_slot ?? null;
  return moved === null ? null : Number(moved);
}
