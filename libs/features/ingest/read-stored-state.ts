import { type ProjectionStore } from '@fresnel/adapters/store-write';
import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { blockKey, type BlockRef, blockRefOf, isSameBlock } from '@fresnel/domain/chain';
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
  const applied = await tables.findIndexedBlocks({ from: 0, to: treeSlot, limit });
  const forkSlot = findForkSlot(applied, inTrees);
  const common = applied.filter(({ slot }) => slot <= forkSlot);
  // The tables delete old blocks. Trees that are further behind have stored the blocks up to their slot themselves.
  const published: readonly BlockRef[] =
    applied.length > 0 || inTables.length === 0 ? common : inTrees.filter(({ slot }) => slot <= treeSlot).slice(-limit);
  const last = published.at(-1)?.slot ?? -1;
  const reverted = await findReverted(tables, partitions, published.at(0)?.slot ?? -1);
  const isReverted = new Set(reverted.map(blockKey));
  const onOtherBranch = applied.filter(({ slot }) => slot > forkSlot);
  const partial = unique([...onOtherBranch, ...inTables, ...inTrees.filter(({ slot }) => slot > last)]);
  return {
    published,
    changes: readChanges(published, partitions),
    partiallyPublished: partial.filter((block) => !isReverted.has(blockKey(block))),
    reverted,
  };
}

/** The slot up to which trees have the branch of the tables: a block of theirs follows none that is indexed after its parent. */
function findForkSlot(indexed: readonly BlockRef[], inTrees: readonly PartiallyPublishedBlock[]): number {
  const forks = inTrees.filter((block) =>
    indexed.some((other) => other.slot > block.parentSlot && other.slot <= block.slot && !isSameBlock(other, block)),
  );
  return Math.min(...forks.map(({ parentSlot }) => parentSlot));
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
  const inTrees = partitions.flatMap(({ blocks }) => blocks.filter(({ state }) => state === 'orphaned'));
  return unique([...inTables, ...inTrees.filter(({ slot }) => slot > after)])
    .reverse()
    .map(({ slot, blockhash }) => ({ kind: 'slot-reverted', slot, blockhash }));
}

/** The blocks of the branch that the trees follow. An unknown parent is assumed to be at the slot before. */
function linkFollowed(blocks: readonly RecentBlock[]): PartiallyPublishedBlock[] {
  return blocks
    .filter(({ state }) => state === 'admitted')
    .map(({ slot, blockhash, parentSlot }) => ({
      slot,
      blockhash,
      parentSlot: parentSlot ?? toSlot(Math.max(slot - 1, 0)),
    }));
}

/** The blocks up to the last published one that change a tree. Where the published blocks are known, it is one of them. */
function readChanges(published: readonly BlockRef[], partitions: readonly TreeProgress[]): BlockRef[] {
  const [first, last] = [published.at(0)?.slot ?? 0, published.at(-1)?.slot ?? -1];
  const isPublished = new Set(published.map(blockKey));
  const changes = partitions.flatMap(({ blocks }) => newestChanges(blocks));
  return unique(
    changes.filter((block) => block.slot <= last && (block.slot < first || isPublished.has(blockKey(block)))),
  );
}

/** The blocks of the branch that the trees of a partition follow which change a tree, oldest first. */
export function newestChanges(blocks: readonly RecentBlock[]): BlockRef[] {
  return blocks.filter(({ state, changesTrees }) => state === 'admitted' && changesTrees).map(blockRefOf);
}
