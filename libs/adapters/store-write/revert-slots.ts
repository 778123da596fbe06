import { type EntityManager } from 'typeorm';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { insertOrphanedBlocks } from './orphaned-blocks.statement';
import { deleteBlockSignatures } from './block-signatures.statement';
import { deleteBlocks, findStoredBlocks } from './blocks.statement';
import { lockIndexedSlot, lowerIndexedSlot } from './indexed-slot.statement';
import { deleteMigratedLeaves } from './migrated-leaves.statement';
import { deleteTransactions } from './delete-transactions';
import { deleteAppends } from './trees.statement';

export interface RevertedSlots {
  /** The blocks that were stored; there is nothing to revert for others. */
  blocks: BlockLink[];
  /** The new indexed slot, null when it was below all of the blocks. */
  loweredTo: number | null;
}

export const NOTHING_REVERTED: RevertedSlots = { blocks: [], loweredTo: null };

/**
 * Reverts everything that follows from blocks, and records the blocks as orphaned. Tree metadata stays: it comes from
 * the chain's accounts, not from blocks. The transaction must hold the exclusive lock of slots.
 *
 * @throws FirstSlotRevertedError
 */
export async function revertSlots(manager: EntityManager, blocks: readonly BlockRef[]): Promise<RevertedSlots> {
  await insertOrphanedBlocks(manager, blocks);
  return revertStored(manager, blocks);
}

/** Reverts everything that follows from orphaned blocks, see `revertSlots`. @throws FirstSlotRevertedError */
export async function revertStored(manager: EntityManager, blocks: readonly BlockRef[]): Promise<RevertedSlots> {
  if (blocks.length === 0) return NOTHING_REVERTED;
  await lockIndexedSlot(manager);
  const stored = await findStoredBlocks(manager, blocks);
  if (stored.length === 0) return NOTHING_REVERTED;
  const loweredTo = await lowerIndexedSlot(manager, stored);
  await deleteSlots(
    manager,
    stored.map(({ slot }) => slot),
  );
  return { blocks: stored, loweredTo };
}

/** Deletes the blocks of slots that are not indexed, with their facts. */
export async function deleteSlots(manager: EntityManager, slots: readonly number[]): Promise<void> {
  if (slots.length === 0) return;
  await deleteAppends(manager, slots);
  await deleteMigratedLeaves(manager, slots);
  await deleteBlockSignatures(manager, slots);
  await deleteTransactions(manager, slots);
  await deleteBlocks(manager, slots);
}
