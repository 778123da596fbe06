import { FresnelError } from '@fresnel/domain/primitives';
import { type BlockLink } from '@fresnel/domain/chain';
import { type DataSource, type EntityManager } from 'typeorm';

/** The first block of the index was orphaned, so no block remains to continue from. */
export class FirstSlotRevertedError extends FresnelError {
  readonly code = 'first-slot-reverted';
  readonly isRetryable = false;
}

/** Newest slot that the source reported. */
export interface ChainTip {
  slot: number;
  seenAt: Date;
}

/** Blocks that one transaction advances over, so that each is short also after a partition was far behind. */
const MAX_ADVANCE = 1_000;
/** Changes of balances are kept for so many indexed blocks, twice as many as a fork can orphan. */
const KEPT_BLOCKS = 64;

const SET_FIRST_SLOT = `UPDATE indexer_state SET first_slot = $1 WHERE first_slot IS NULL`;

/** Sets the first slot of the index, unless it is set. */
export async function setFirstSlot(manager: EntityManager, slot: number): Promise<void> {
  await manager.query(SET_FIRST_SLOT, [slot]);
}

const ADVANCE = `SELECT * FROM advance_indexed_slot($1, $2, $3, $4)`;

interface Advanced {
  old_slot: string | null;
  new_slot: string | null;
  is_complete: boolean;
}

/**
 * Stores the chain tip, and advances the indexed slot to the tip of the unbroken chain of stored blocks, with the balances.
 *
 * Every writer calls this after its transaction. Of several writers whose blocks form a chain, the last one sees the blocks
 * of all.
 *
 * @returns the new indexed slot, null when it did not move
 */
export async function advanceIndexedSlot(dataSource: DataSource, chainTip: ChainTip | null): Promise<number | null> {
  const values = [chainTip?.slot ?? null, chainTip?.seenAt ?? null, MAX_ADVANCE, KEPT_BLOCKS];
  for (let moved: string | null = null; ;) {
    const [{ old_slot: before, new_slot: after, is_complete: isComplete }] = await dataSource.query<Advanced[]>(
      ADVANCE,
      values,
    );
    if (after !== null && after !== before) moved = after;
    if (isComplete) return moved === null ? null : Number(moved);
  }
}

const LOCK_INDEXER_STATE = `SELECT first_slot, indexed_slot FROM indexer_state FOR UPDATE`;

/** Keeps other writers from advancing the indexed slot until the transaction ends. */
export async function lockIndexedSlot(manager: EntityManager): Promise<void> {
  await manager.query(LOCK_INDEXER_STATE);
}

/** The new slot, and the number of blocks that the indexed slot goes back over. */
export const FIND_LOWER_SLOT = `
  SELECT max(b.slot) FILTER (WHERE b.slot <= $2::bigint) AS slot, count(*) FILTER (WHERE b.slot > $2::bigint) AS blocks
  FROM blocks b
  WHERE b.slot BETWEEN (SELECT max(p.slot) FROM blocks p WHERE p.slot BETWEEN $1::bigint AND $2::bigint) AND $3::bigint`;

/**
 * Lowers the indexed slot below blocks that are about to be reverted, with the balances. Call `lockIndexedSlot` first, and
 * revert the blocks' facts later.
 *
 * @returns the new indexed slot, null when it was below all of the blocks
 * @throws FirstSlotRevertedError
 */
export async function lowerIndexedSlot(manager: EntityManager, reverted: readonly BlockLink[]): Promise<number | null> {
  const [state] = await manager.query<{ first_slot: string | null; indexed_slot: string | null }[]>(LOCK_INDEXER_STATE);
  if (reverted.some(({ slot }) => String(slot) === state.first_slot)) {
    throw new FirstSlotRevertedError(
      `slot ${state.first_slot}, the first slot of this index, was orphaned, and no older slot is stored: rebuild the index with an empty database, starting at a finalized slot`,
    );
  }
  const max = Math.min(...reverted.map(({ parentSlot }) => parentSlot));
  if (state.indexed_slot === null || Number(state.indexed_slot) <= max) return null;
  const [lower] = await manager.query<{ slot: string; blocks: string }[]>(FIND_LOWER_SLOT, [
    state.first_slot,
    max,
    state.indexed_slot,
  ]);
  if (Number(lower.blocks) > KEPT_BLOCKS) {
    throw new Error(`${lower.blocks} indexed blocks were orphaned, but balances can go back over ${KEPT_BLOCKS} only`);
  }
  await manager.query(`SELECT apply_holder_changes($1, $2, -1)`, [lower.slot, state.indexed_slot]);
  await manager.query(`UPDATE indexer_state SET indexed_slot = $1`, [lower.slot]);
  return Number(lower.slot);
}
