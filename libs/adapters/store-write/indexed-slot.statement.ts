import { type EntityManager } from 'typeorm';

/** Also takes the row's lock, so that of two writers the second sees the blocks of the first. */
const TOUCH_STATE = `
  UPDATE indexer_state SET
    first_slot = coalesce(first_slot, $1::bigint),
    chain_tip = greatest(chain_tip, $2::bigint),
    chain_tip_seen_at = greatest(chain_tip_seen_at, $3::timestamptz)`;

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
 * Moves the indexed slot to the tip of the unbroken chain of stored blocks.
 *
 * @param firstSlot set when the batch holds the very first block
 * @returns the new indexed slot, null when it did not move
 */
export async function advanceIndexedSlot(
  manager: EntityManager,
  firstSlot: number | null,
  chainTip: ChainTip | null,
): Promise<number | null> {
  await manager.query(TOUCH_STATE, [firstSlot, chainTip?.slot ?? null, chainTip?.seenAt ?? null]);
  // An UPDATE answers with the rows and their count.
  const [rows] = await manager.query<[{ indexed_slot: string }[], number]>(ADVANCE_INDEXED_SLOT);
  const moved = rows.at(0);
  return moved ? Number(moved.indexed_slot) : null;
}
