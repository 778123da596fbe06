import { type EntityManager } from 'typeorm';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { insertOrphanedBlocks } from './orphaned-blocks.statement';
import { deleteBlocks, lockBlocks } from './blocks.statement';
import { revertAccounts } from './revert-accounts.statement';
import { deleteTransactions } from './transactions.statement';
import { deleteAppends } from './trees.statement';

/**
 * Reverts everything that follows from blocks, and records the blocks as orphaned. Tree metadata stays: it comes from
 * the chain's accounts, not from blocks.
 *
 * @returns the blocks that were stored; there is nothing to revert for the others
 */
export async function revertSlots(manager: EntityManager, blocks: readonly BlockRef[]): Promise<BlockLink[]> {
  if (blocks.length === 0) return [];
  await insertOrphanedBlocks(manager, blocks);
  const stored = await lockBlocks(manager, blocks);
  if (stored.length === 0) return [];
  const slots = stored.map(({ slot }) => slot);
  await revertAccounts(manager, slots);
  await deleteAppends(manager, slots);
  await deleteTransactions(manager, slots);
  await deleteBlocks(manager, slots);
  return stored;
}
