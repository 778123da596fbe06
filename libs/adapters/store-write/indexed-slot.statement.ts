import { FresnelError } from '@fresnel/domain/primitives';
import { type BlockLink } from '@fresnel/domain/chain';
import { type DataSource, type EntityManager } from 'typeorm';
import { KEPT_SIGNATURES } from './block-signatures.statement';
import { KEPT_SLOTS } from './blocks.statement';

/** The first block of the index was orphaned, so no block remains to continue from. */
export class FirstSlotRevertedError extends FresnelError {
  readonly code = 'first-slot-reverted';
  readonly isRetryable = false;
}

/** Blocks that one transaction advances over, so that each is short also after a partition was far behind. */
const MAX_ADVANCE = 200;

const SET_FIRST_SLOT = `UPDATE indexer_state SET first_slot = $1 WHERE first_slot IS NULL`;

/** Sets the first slot of the index, unless it is set. */
export async function setFirstSlot(manager: EntityManager, slot: number): Promise<void> {
  await manager.query(SET_FIRST_SLOT, [slot]);
}

const ADVANCE = `SELECT * FROM advance_indexed_slot($1, $2, $3)`;
const CAN_ADVANCE = `SELECT can_advance() AS "canAdvance"`;

interface Advanced {
  old_slot: string | null;
  new_slot: string | null;
  is_locked: boolean;
}

/**
 * Advances the indexed slot to the tip of the unbroken chain of stored blocks, with everything that follows from their
 * facts. Every writer calls this after its transaction.
 *
 * A writer that finds another one advancing leaves its blocks to that one, which looks again after its transaction. So no
 * writer waits, and of several writers whose blocks form a chain, the last one sees the blocks of all.
 *
 * @returns the new indexed slot, null when it did not move
 */
export async function advanceIndexedSlot(dataSource: DataSource): Promise<number | null> {
  let moved: string | null = null;
  for (;;) {
    const [advanced] = await dataSource.query<Advanced[]>(ADVANCE, [MAX_ADVANCE, KEPT_SLOTS, KEPT_SIGNATURES]);
    const { old_slot: before, new_slot: after, is_locked: isLocked } = advanced;
    if (after !== before) moved = after;
    if (!isLocked || !(await canAdvance(dataSource))) return moved === null ? null : Number(moved);
  }
}

async function canAdvance(dataSource: DataSource): Promise<boolean> {
  const [{ canAdvance }] = await dataSource.query<{ canAdvance: boolean }[]>(CAN_ADVANCE);
  return canAdvance;
}

const LOCK_INDEXER_STATE = `SELECT first_slot, indexed_slot FROM indexer_state FOR UPDATE`;

interface IndexerState {
  first_slot: string | null;
  indexed_slot: string | null;
}

/** Keeps other writers from advancing the indexed slot until the transaction ends. */
export async function lockIndexedSlot(manager: EntityManager): Promise<IndexerState> {
  const [state] = await manager.query<IndexerState[]>(LOCK_INDEXER_STATE);
  return state;
}

/** Adds or removes what follows from the facts of indexed slots: signatures by owner, balances, and places of migrated leaves. */
export async function deriveSlots(
  manager: EntityManager,
  slots: readonly number[],
  change: 'add' | 'remove',
): Promise<void> {
  if (slots.length > 0) await manager.query(DERIVE, [slots, change === 'add' ? 1 : -1]);
}

const DERIVE = `SELECT derive_slots($1, $2, true)`;
const REMOVE_ABOVE = `SELECT derive_slots(branch_slots(indexed_slot, $1), -1, false) FROM indexer_state`;

/** The lowest of the slots that is on the indexed chain; null if none is. */
export const FIND_LOWER_SLOT = `
  WITH above AS (
    SELECT branch_slots(s.indexed_slot, (SELECT min(slot) FROM unnest($1::bigint[]) AS list (slot)) - 1) AS slots
    FROM indexer_state s
  )
  SELECT min(b.slot) AS lowest FROM above CROSS JOIN unnest(above.slots) AS b (slot) WHERE b.slot = ANY ($1::bigint[])`;

/**
 * Lowers the indexed slot below blocks that are about to be reverted, and removes what follows from the facts above it.
 *
 * @returns the new indexed slot, null when none of the blocks was indexed
 * @throws FirstSlotRevertedError
 */
export async function lowerIndexedSlot(manager: EntityManager, reverted: readonly BlockLink[]): Promise<number | null> {
  const state = await lockIndexedSlot(manager);
  if (reverted.some(({ slot }) => String(slot) === state.first_slot)) {
    throw new FirstSlotRevertedError(
      `slot ${state.first_slot}, the first slot of this index, was orphaned, and no older slot is stored: rebuild the index with an empty database, starting at a finalized slot`,
    );
  }
  const slots = reverted.map(({ slot }) => slot);
  const [{ lowest }] = await manager.query<{ lowest: string | null }[]>(FIND_LOWER_SLOT, [slots]);
  const orphaned = reverted.find(({ slot }) => String(slot) === lowest);
  if (!orphaned) return null;
  await manager.query(REMOVE_ABOVE, [orphaned.parentSlot]);
  await manager.query(`UPDATE indexer_state SET indexed_slot = $1`, [orphaned.parentSlot]);
  return orphaned.parentSlot;
}
