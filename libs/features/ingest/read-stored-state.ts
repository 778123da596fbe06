import { type ProjectionStore } from '@fresnel/adapters/store-write';
import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { blockKey, type BlockRef } from '@fresnel/domain/chain';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { type PartiallyPublishedBlock, PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

/** The blocks that the tables store. */
export type StoredTables = Pick<ProjectionStore, 'findIndexedBlocks' | 'findOrphanedBlocks' | 'findUnchangedUpTo'>;

/** How far the trees of a partition are applied. */
export interface TreeProgress {
  /** Null: nothing was applied. */
  slot: Slot | null;
  /** Recent blocks, oldest first. */
  blocks: readonly RecentBlock[];
}

/**
 * Derives the resume state from tables and trees, when no log has the published blocks.
 *
 * ```
 *   tables            100 ── 101 ── 102 ── 103
 *   trees, partition 0        …      102 ── 103 ── 104
 *   trees, partition 1        … 101                      the furthest behind: ingest resumes after 101,
 *                                                        and 102, 103 and 104 are partially published
 * ```
 */
export async function readStoredState(tables: StoredTables, partitions: readonly TreeProgress[]): Promise<ResumeState> {
  const appliedSlot = lowestSlot(partitions);
  const treeSlot = appliedSlot === -1 ? -1 : await tables.findUnchangedUpTo(appliedSlot);
  const limit = PUBLISHED_BLOCK_WINDOW;
  const inTables = await tables.findIndexedBlocks({ from: treeSlot + 1, to: Number.MAX_SAFE_INTEGER, limit });
  const inTrees = unique(partitions.flatMap(({ blocks }) => linkFollowed(blocks)));
  const common = await tables.findIndexedBlocks({ from: 0, to: treeSlot, limit });
  // The tables delete old blocks. Trees that are further behind have stored the blocks up to their slot themselves.
  const published: readonly BlockRef[] =
    common.length > 0 || inTables.length === 0 ? common : inTrees.filter(({ slot }) => slot <= treeSlot).slice(-limit);
  const last = published.at(-1)?.slot ?? -1;
  const reverted = await findReverted(tables, partitions, published.at(0)?.slot ?? -1);
  const isReverted = new Set(reverted.map(blockKey));
  const partial = unique([...inTables, ...inTrees.filter(({ slot }) => slot > last)]);
  return {
    published,
    partiallyPublished: partial.filter((block) => !isReverted.has(blockKey(block))),
    reverted,
  };
}

/** The slot up to which all partitions are applied; -1 if one has none. */
function lowestSlot(partitions: readonly TreeProgress[]): number {
  return partitions.length === 0 ? -1 : Math.min(...partitions.map(({ slot }) => slot ?? -1));
}

/** Each block once, in ascending order of slots. The first of several is taken. */
function unique<Block extends BlockRef>(blocks: readonly Block[]): Block[] {
  const byKey = new Map(blocks.toReversed().map((block) => [blockKey(block), block]));
  return [...byKey.values()].sort((a, b) => a.slot - b.slot);
}

/** The blocks above a slot that tables or trees have reverted, newest first. */
async function findReverted(
  tables: StoredTables,
  partitions: readonly TreeProgress[],
  after: number,
): Promise<ResumeState['reverted']> {
  const inTables = await tables.findOrphanedBlocks(after + 1);
  const inTrees = partitions.flatMap(({ blocks }) => blocks.filter(({ isOrphaned }) => isOrphaned));
  return unique([...inTables, ...inTrees.filter(({ slot }) => slot > after)])
    .reverse()
    .map(({ slot, blockhash }) => ({ kind: 'slot-reverted', slot, blockhash }));
}

/** The blocks of the branch that the trees follow. Each is the child of the one before it; the parent of the first is assumed. */
function linkFollowed(blocks: readonly RecentBlock[]): PartiallyPublishedBlock[] {
  const followed = blocks.filter(({ isOrphaned }) => !isOrphaned);
  return followed.map(({ slot, blockhash }, at) => {
    const parentSlot = toSlot(at === 0 ? Math.max(slot - 1, 0) : followed[at - 1].slot);
    return { slot, blockhash, parentSlot };
  });
}
