import { type TreeCommit, type TreeReads } from '@fresnel/adapters/tree-store';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Hash, type Hasher, type Pubkey, ZERO_HASH } from '@fresnel/domain/primitives';
import {
  type AddressTreeHead,
  doubtFrom,
  type ElementKey,
  hashElement,
  type IndexedElement,
  NodePages,
  pagesOnPath,
  takenBack,
  TreeMismatchError,
  type UndoRecord,
} from '@fresnel/domain/trees';

/**
 * Brings one address tree back to before the blocks that the chain has left.
 *
 * ```
 *   records     7: slot 98    8: slot 100    9: slot 101    10: slot 103     head: changed 11 times
 *                             └── the chain left 100 to 103: records 10, 9, 8 are taken back, in this order,
 *                                 the head is the one before record 8 again, and every touched node is hashed once
 * ```
 *
 * A tree that cannot be brought back with certainty is closed for good: the records that would open it again with an
 * earlier block are no longer looked at.
 *
 * @param blocks newest first, at least one
 * @returns null for a tree that is not there
 */
export async function revertBlocks(
  tree: Pubkey,
  blocks: readonly BlockRef[],
  store: TreeReads,
  hasher: Hasher,
  acceptGaps: boolean,
): Promise<TreeCommit | null> {
  const head = await store.findHead(tree);
  if (!head) return null;
  const doubting = blocks.reduce((doubting, { slot }) => doubtFrom(doubting, slot), head);
  try {
    const undone = recordsToRevert(blocks, head, unbroken(await store.readUndo(tree), head));
    if (undone.length === 0) return commitOf(doubting);
    return await restore(doubting, undone, store, hasher, acceptGaps);
  } catch (error) {
    if (!(error instanceof TreeMismatchError)) throw error;
    const { times, slot } = head.changed;
    return commitOf({ ...doubting, fault: head.fault ?? error.message, changed: { times: times + 1, slot } });
  }
}

/** The records that lead back from the head; none where the last one is missing. */
function unbroken(log: readonly UndoRecord[], { changed }: AddressTreeHead): readonly UndoRecord[] {
  return log.at(-1)?.before.changed.times === changed.times - 1 ? log : [];
}

/**
 * The records that have to be taken back, oldest first.
 *
 * @param log oldest first
 * @throws TreeMismatchError
 */
function recordsToRevert(
  blocks: readonly BlockRef[],
  { changed }: AddressTreeHead,
  log: readonly UndoRecord[],
): UndoRecord[] {
  let left = log;
  let state = changed;
  for (const block of blocks) {
    if (state.times === 0 || state.slot < block.slot) continue;
    if (left.some((record) => isOf(record, block))) {
      left = left.slice(
        0,
        left.findIndex(({ slot }) => slot >= block.slot),
      );
      state = log[left.length].before.changed;
    } else if (!reaches(left, state, block)) {
      throw new TreeMismatchError(`slot ${block.slot} is further back than changes of the tree can be taken back`);
    }
  }
  const undone = log.slice(left.length);
  const lowest = Math.min(...blocks.map(({ slot }) => slot));
  if (undone.some(({ slot }) => slot < lowest)) {
    throw new TreeMismatchError(`operations of a slot before ${lowest} came after it, and would be lost with it`);
  }
  return undone;
}

function isOf({ slot, blockhash }: UndoRecord, block: BlockRef): boolean {
  return slot === block.slot && (blockhash === null || blockhash.equals(block.blockhash));
}

/** Whether there would be a record, had the block changed the tree. */
function reaches(left: readonly UndoRecord[], state: AddressTreeHead['changed'], { slot }: BlockRef): boolean {
  if (left.some((record) => record.slot <= slot)) return true;
  const oldest = left.length > 0 ? left[0].before.changed : state;
  return oldest.times === 0 || oldest.slot < slot;
}

/** @throws TreeMismatchError where the nodes do not make the root that the tree had */
async function restore(
  head: AddressTreeHead,
  undone: readonly UndoRecord[],
  store: TreeReads,
  hasher: Hasher,
  acceptGaps: boolean,
): Promise<TreeCommit> {
  const { root: rootBefore, ...before } = undone[0].before;
  const { rewritten, removed } = takenBack(undone);
  const { pages, root } = await rehash(head, rewritten, removed, store, hasher);
  const { observed } = head.info;
  const rootsThen = [rootBefore, observed.seq === before.seq ? observed.root : null];
  if (!acceptGaps && rootsThen.some((known) => known && !known.equals(root))) {
    throw new TreeMismatchError(`the root before slot ${undone[0].slot} cannot be restored`);
  }
  const isQueued = head.info.type === 'addressV2';
  const requeued = removed
    .map(({ index, value }) => [BigInt(index - 1), value] as const)
    .filter(([position]) => isQueued && position < before.queueEnd)
    .sort(([a], [b]) => Number(a - b));
  return {
    ...commitOf({ ...head, ...before, root }),
    removed,
    elements: [...rewritten.values()],
    pages,
    queueTruncatedFrom: isQueued ? before.queueEnd : null,
    queued: new Map(requeued),
  };
}

async function rehash(
  { info, root }: AddressTreeHead,
  rewritten: ReadonlyMap<number, IndexedElement>,
  removed: readonly ElementKey[],
  store: TreeReads,
  hasher: Hasher,
): Promise<Pick<TreeCommit, 'pages'> & { root: Hash }> {
  const leaves = new Map<number, Hash>(removed.map(({ index }) => [index, ZERO_HASH]));
  for (const [index, element] of rewritten) leaves.set(index, hashElement(info.type, element, hasher));
  if (leaves.size === 0) return { pages: new Map(), root };
  const ids = new Set([...leaves.keys()].flatMap((index) => pagesOnPath(index, info.height)));
  const stored = await store.readPages(info.tree, [...ids]);
  const nodes = new NodePages((id) => stored.get(id), hasher);
  const restored = nodes.writeLeaves(leaves, info.height);
  return { pages: nodes.changedPages(), root: restored };
}

/** A commit that changes the head and nothing else. */
function commitOf(head: AddressTreeHead): TreeCommit {
  return {
    head,
    removed: [],
    elements: [],
    pages: new Map(),
    queueTruncatedFrom: null,
    queued: new Map(),
    queueStart: head.info.type === 'addressV2' ? BigInt(head.nextIndex - 1) : 0n,
    undo: [],
  };
}
