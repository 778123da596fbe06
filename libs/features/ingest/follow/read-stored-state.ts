import { type IndexedBlock, type ProjectionStore } from '@fresnel/adapters/store-write';
import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { blockKey, type BlockRef, blockRefOf, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
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
  // The tables keep few blocks.
  const comparable = { from: inTrees.at(0)?.slot ?? 0, to: treeSlot, limit: Number.MAX_SAFE_INTEGER };
  const compared = await tables.findIndexedBlocks(comparable);
  const commonSlot = Math.min(
    treeSlot,
    findForkSlot(compared, inTrees),
    findLackedSlot(
      compared,
      partitions.map(({ blocks }) => blocks),
    ) - 1,
  );
  const common = await tables.findIndexedBlocks({ from: 0, to: commonSlot, limit });
  // The tables delete old blocks. Trees that are further behind have stored the blocks up to their slot themselves.
  const areDeleted = common.length + compared.length === 0 && inTables.length > 0;
  const published: readonly BlockRef[] = areDeleted
    ? inTrees.filter(({ slot }) => slot <= treeSlot).slice(-limit)
    : common;
  const last = published.at(-1)?.slot ?? -1;
  const reverted = await findReverted(tables, partitions, published.at(0)?.slot ?? -1);
  const isReverted = new Set(reverted.map(blockKey));
  const notCommon = compared.filter(({ slot }) => slot > commonSlot);
  const partial = unique([...notCommon, ...inTables, ...inTrees.filter(({ slot }) => slot > last)]);
  return {
    published,
    changes: readChanges(published, partitions),
    partiallyPublished: partial.filter((block) => !isReverted.has(blockKey(block))),
    reverted,
  };
}

/** The slot up to which trees have no block of another branch than the tables. A block of theirs may be there alone, in a skipped slot. */
function findForkSlot(indexed: readonly BlockRef[], inTrees: readonly PartiallyPublishedBlock[]): number {
  const [oldest, newest] = [indexed.at(0)?.slot ?? Infinity, indexed.at(-1)?.slot ?? -1];
  const isIndexed = new Set(indexed.map(blockKey));
  const forks = inTrees.filter(
    (block) => block.slot >= oldest && block.parentSlot < newest && !isIndexed.has(blockKey(block)),
  );
  return Math.min(...forks.map(({ parentSlot }) => parentSlot));
}

/**
 * The first slot whose changes some trees lack: they have refused the block, never read it, or reverted it with a block before it.
 *
 * @param partitions the recent blocks of each
 * @returns Infinity if none is lacked
 */
export function findLackedSlot(
  indexed: readonly IndexedBlock[],
  partitions: readonly (readonly RecentBlock[])[],
): number {
  const lacked = partitions.flatMap((blocks) => {
    // Before these there may be a gap.
    const admitted = blocks.filter(({ state }) => state === 'admitted').slice(-MAX_FORK_DEPTH - 1);
    const oldest = admitted.at(0)?.slot ?? Infinity;
    const isAdmitted = new Set(admitted.map(blockKey));
    return indexed.filter((block) => block.changesTrees && block.slot > oldest && !isAdmitted.has(blockKey(block)));
  });
  return Math.min(...lacked.map(({ slot }) => slot));
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
