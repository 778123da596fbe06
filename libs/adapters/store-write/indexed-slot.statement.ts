import { FresnelError } from '@fresnel/domain/primitives';
import { type BlockLink } from '@fresnel/domain/chain';
import { type DataSource, type EntityManager } from 'typeorm';
import { KEPT_SIGNATURES } from './block-signatures.statement';
import { KEPT_SLOTS } from './blocks.statement';
import { addRevert } from './revisions.statement';

/** The first block of the index was orphaned, so no block remains to continue from. */
export class FirstSlotRevertedError extends FresnelError {
  readonly code = 'first-slot-reverted';
  readonly isRetryable = false;
}

/** Blocks that one transaction advances over, so that each is short also after a partition was far behind. */
const MAX_ADVANCE = 200;

const SET_FIRST_SLOT = `
  WITH changed AS (UPDATE indexer_state SET first_slot = $1 WHERE first_slot IS NULL RETURNING 1)
  SELECT count(*)::integer AS count FROM changed`;

/** Sets the first slot of the index, unless it is set. @returns whether it was not set */
export async function setFirstSlot(manager: EntityManager, slot: number): Promise<boolean> {
  const [{ count }] = await manager.query<{ count: number }[]>(SET_FIRST_SLOT, [slot]);
  return count > 0;
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
  firstSlot: number | null;
  indexedSlot: number | null;
}

/** Keeps other writers from advancing the indexed slot until the transaction ends. */
export async function lockIndexedSlot(manager: EntityManager): Promise<IndexerState> {
  const [state] = await manager.query<{ first_slot: string | null; indexed_slot: string | null }[]>(LOCK_INDEXER_STATE);
  const toNumber = (slot: string | null) => (slot === null ? null : Number(slot));
  return { firstSlot: toNumber(state.first_slot), indexedSlot: toNumber(state.indexed_slot) };
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
const REMOVE_ABOVE = `
  SELECT derive_slots(ARRAY(SELECT b.slot FROM blocks b WHERE b.slot > $1 AND b.slot <= s.indexed_slot), -1, false)
  FROM indexer_state s`;

/**
 * Lowers the indexed slot below blocks that are about to be reverted, removes what follows from the facts above it, and notes the
 * revision.
 *
 * @returns the new indexed slot, null when none of the blocks was indexed
 * @throws FirstSlotRevertedError
 */
export async function lowerIndexedSlot(manager: EntityManager, reverted: readonly BlockLink[]): Promise<number | null> {
  const { firstSlot, indexedSlot } = await lockIndexedSlot(manager);
  if (reverted.some(({ slot }) => slot === firstSlot)) {
    throw new FirstSlotRevertedError(
      `slot ${firstSlot}, the first slot of this index, was orphaned, and no older slot is stored: rebuild the index with an empty database, starting at a finalized slot`,
    );
  }
  const indexed = reverted.filter(({ slot }) => indexedSlot !== null && slot <= indexedSlot);
  if (indexed.length === 0) return null;
  const { parentSlot } = indexed.reduce((one, other) => (one.slot < other.slot ? one : other));
  await manager.query(REMOVE_ABOVE, [parentSlot]);
  await manager.query(`UPDATE indexer_state SET indexed_slot = $1`, [parentSlot]);
  await addRevert(manager, parentSlot);
  return parentSlot;
}
