import { NO_QUEUE_CHANGES, type QueueCommit, type TreeCommit, type TreeReads } from '@fresnel/adapters/tree-store';
import { type BlockRef, isSameBlock } from '@fresnel/domain/chain';
import { type Hash, type TreeHasher, ZERO_HASH } from '@fresnel/domain/primitives';
import {
  type AddressTreeType,
  type ElementKey,
  hashElements,
  type IndexedElement,
  isAddressTree,
  markUntrusted,
  NodePages,
  pagesOnPaths,
  type QueuedNullifier,
  queueStartOf,
  revertLeaves,
  revertRecords,
  type TreeHead,
  type TreeInfo,
  TreeMismatchError,
  type UndoRecord,
} from '@fresnel/domain/trees';

/**
 * Reverts orphaned blocks in one tree.
 *
 * ```
 *   undo records   7: slot 98    8: slot 100    9: slot 101    10: slot 103     head: 11 changes
 *                                └── slots 100 to 103 are orphaned: records 10, 9 and 8 are reverted in this order,
 *                                    the head becomes the one before record 8, and each changed node is hashed once
 * ```
 *
 * A tree that cannot be reverted with certainty is quarantined until it is rebuilt: later reverts do not use the records
 * from before the quarantine.
 *
 * @param blocks orphaned blocks, newest first, at least one
 * @returns null if the tree does not exist
 */
export async function revertBlocks(
  blocks: readonly BlockRef[],
  tree: TreeReads,
  hasher: TreeHasher,
  acceptGaps: boolean,
): Promise<TreeCommit | null> {
  const { head } = tree;
  if (!head) return null;
  const untrusted = blocks.reduce((untrusted, { slot }) => markUntrusted(untrusted, slot), head);
  try {
    const reverted = recordsToRevert(blocks, head, connectedRecords(await tree.readUndo(), head));
    if (reverted.length === 0) return commitOf(withoutIgnoredMigration(untrusted, blocks));
    return await restore(untrusted, reverted, tree, hasher, acceptGaps);
  } catch (error) {
    if (!(error instanceof TreeMismatchError)) throw error;
    const { count, lastSlot } = head.changes;
    return commitOf({
      ...untrusted,
      quarantineReason: head.quarantineReason ?? error.message,
      changes: { count: count + 1, lastSlot },
    });
  }
}

/** The undo records that lead back from the head; none if the record of the last change is missing. */
function connectedRecords(log: readonly UndoRecord[], { changes }: TreeHead): readonly UndoRecord[] {
  return log.at(-1)?.before.changes.count === changes.count - 1 ? log : [];
}

/**
 * The undo records of the orphaned blocks, oldest first.
 *
 * @param log oldest first
 * @throws TreeMismatchError if records are missing, or if an older block's record would be reverted too
 */
function recordsToRevert(blocks: readonly BlockRef[], { changes }: TreeHead, log: readonly UndoRecord[]): UndoRecord[] {
  let remaining = log;
  let state = changes;
  for (const block of blocks) {
    if (state.count === 0 || state.lastSlot < block.slot) continue;
    if (remaining.some((record) => isOf(record, block))) {
      remaining = remaining.slice(
        0,
        remaining.findIndex(({ slot }) => slot >= block.slot),
      );
      state = log[remaining.length].before.changes;
    } else if (!reaches(remaining, state, block)) {
      throw new TreeMismatchError(`the undo records of the tree do not reach back to slot ${block.slot}`);
    }
  }
  const reverted = log.slice(remaining.length);
  const oldestSlot = Math.min(...blocks.map(({ slot }) => slot));
  if (reverted.some(({ slot }) => slot < oldestSlot)) {
    throw new TreeMismatchError(
      `operations of a slot before ${oldestSlot} were applied after it, and would be reverted too`,
    );
  }
  return reverted;
}

/**
 * Operations that a quarantined tree ignored leave no undo record. Sequence numbers and positions that it has seen are reached by
 * the new branch too, but not the slot of an orphaned block.
 */
function withoutIgnoredMigration(head: TreeHead, blocks: readonly BlockRef[]): TreeHead {
  const { seen, migratedSlot } = head;
  if (!blocks.some(({ slot }) => slot === seen.migratedSlot)) return head;
  return { ...head, seen: { ...seen, migratedSlot } };
}

function isOf(record: UndoRecord, block: BlockRef): boolean {
  return isSameBlock(record, block);
}

/** Whether the records reach back far enough to contain the block, if it had changed the tree. */
function reaches(records: readonly UndoRecord[], state: TreeHead['changes'], { slot }: BlockRef): boolean {
  if (records.some((record) => record.slot <= slot)) return true;
  const oldest = records.length > 0 ? records[0].before.changes : state;
  return oldest.count === 0 || oldest.lastSlot < slot;
}

/**
 * Restores elements or leaves, queues, nodes and head from undo records, oldest first.
 *
 * @throws TreeMismatchError if the nodes do not hash up to the root that the tree had
 */
async function restore(
  head: TreeHead,
  reverted: readonly UndoRecord[],
  tree: TreeReads,
  hasher: TreeHasher,
  acceptGaps: boolean,
): Promise<TreeCommit> {
  const { root: rootBefore, ...before } = reverted[0].before;
  const { rewritten, removed } = revertRecords(reverted);
  const { info } = head;
  const leaves = isAddressTree(info) ? await hashLeaves(info.type, rewritten, removed, hasher) : revertLeaves(reverted);
  const { pages, root } = await rehash(head, leaves, tree, hasher);
  const { observed } = info;
  const knownRoots = [rootBefore, observed.seq === before.seq ? observed.root : null];
  if (!acceptGaps && knownRoots.some((known) => known && !known.equals(root))) {
    throw new TreeMismatchError(`the root before slot ${reverted[0].slot} cannot be restored`);
  }
  const commit = commitOf({ ...head, ...before, root });
  return {
    ...commit,
    ...(isAddressTree(info) ? { removed, elements: [...rewritten.values()] } : {}),
    pages,
    queue: restoredQueue(commit.queue, before.queueEnd, queuedBefore(info, removed)),
    inputQueue: restoredQueue(commit.inputQueue, before.inputQueueEnd, nullifiersBefore(reverted)),
  };
}

/** The values that the reverted blocks wrote to leaves, by their positions in the queue. */
function queuedBefore({ type }: TreeInfo, removed: readonly ElementKey[]): [bigint, Hash][] {
  if (type === 'addressV1') return [];
  const offset = type === 'addressV2' ? 1 : 0;
  return removed.map(({ index, value }) => [BigInt(index - offset), value]);
}

function nullifiersBefore(reverted: readonly UndoRecord[]): [bigint, QueuedNullifier][] {
  return reverted.flatMap(({ nullified }) =>
    nullified.map(({ queueIndex, ...entry }): [bigint, QueuedNullifier] => [queueIndex, entry]),
  );
}

/** @param end of the queue before the reverted blocks @param entries that they removed from it, or that they had added */
function restoredQueue<Entry>(
  { start }: QueueCommit<Entry>,
  end: bigint,
  entries: readonly [bigint, Entry][],
): QueueCommit<Entry> {
  const requeued = entries.filter(([position]) => position < end).sort(([a], [b]) => Number(a - b));
  return { truncatedFrom: end, added: new Map(requeued), start };
}

/** The leaf hashes of an address tree before the reverted blocks. */
async function hashLeaves(
  type: AddressTreeType,
  rewritten: ReadonlyMap<number, IndexedElement>,
  removed: readonly ElementKey[],
  hasher: TreeHasher,
): Promise<Map<number, Hash>> {
  const leaves = new Map<number, Hash>(removed.map(({ index }) => [index, ZERO_HASH]));
  const elements = [...rewritten.values()];
  const hashes = await hashElements(type, elements, hasher.hashBatch);
  elements.forEach(({ index }, at) => leaves.set(index, hashes[at]));
  return leaves;
}

async function rehash(
  { info, root }: TreeHead,
  leaves: ReadonlyMap<number, Hash>,
  tree: TreeReads,
  hasher: TreeHasher,
): Promise<Pick<TreeCommit, 'pages'> & { root: Hash }> {
  if (leaves.size === 0) return { pages: new Map(), root };
  const stored = await tree.readPages(pagesOnPaths(leaves.keys(), info.height));
  const nodes = new NodePages((id) => stored.get(id), hasher.hash);
  const restored = await nodes.writeLeavesInBatches(leaves, info.height, hasher);
  return { pages: nodes.changedPages(), root: restored };
}

/** A commit that changes the head only. */
function commitOf(head: TreeHead): TreeCommit {
  return {
    head,
    removed: [],
    elements: [],
    pages: new Map(),
    queue: { ...NO_QUEUE_CHANGES, start: queueStartOf(head) },
    inputQueue: { ...NO_QUEUE_CHANGES, start: head.inputQueueStart },
    undo: [],
  };
}
