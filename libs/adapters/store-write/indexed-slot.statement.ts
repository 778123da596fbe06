import { type EntityManager } from 'typeorm';

/** The update also locks the row, so of two concurrent writers the second sees the blocks of the first. */
const LOCK_INDEXER_STATE = `
  UPDATE indexer_state SET
    first_slot = coalesce(first_slot, $1::bigint),
    chain_tip = greatest(chain_tip, $2::bigint),
    chain_tip_seen_at = greatest(chain_tip_seen_at, $3::timestamptz)
  RETURNING first_slot`;

/**
 * Lowers the indexed slot to a stored block. It advances from there: the block at the given slot may be on another fork, or
 * missing.
 */
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

/** Newest slot that the source reported. */
export interface ChainTip {
  slot: number;
  seenAt: Date;
}

/**
 * Stores the chain tip and locks the indexer state until the transaction ends: no other writer moves the indexed slot, and
 * everything that earlier writers committed is visible.
 *
 * @param firstSlot set when the batch contains the first block of the index
 * @returns the first slot of the index, null before there is one
 */
export async function lockIndexerState(
  manager: EntityManager,
  firstSlot: number | null,
  chainTip: ChainTip | null,
): Promise<number | null> {
  const values = [firstSlot, chainTip?.slot ?? null, chainTip?.seenAt ?? null];
  // TypeORM returns the rows of an UPDATE and their count.
  const [[state]] = await manager.query<[{ first_slot: string | null }[], number]>(LOCK_INDEXER_STATE, values);
  return state.first_slot === null ? null : Number(state.first_slot);
}

/**
 * Lowers the indexed slot to `max` or below. Call `lockIndexerState` first.
 *
 * @returns the new indexed slot, null when it was not above `max`
 */
export function lowerIndexedSlot(manager: EntityManager, max: number): Promise<number | null> {
  return moveIndexedSlot(manager, LOWER_INDEXED_SLOT, [max]);
}

/**
 * Advances the indexed slot to the tip of the unbroken chain of stored blocks. Call `lockIndexerState` first.
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
