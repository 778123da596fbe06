import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type SlotEvents } from './slot-events';
import { type TreeDirectory } from './tree-directory';

/** *Leaf H migrated to V2 tree T.* */
export interface MigratedLeaf {
  /** The value of the leaf: the hash of the account, which stays the same. */
  hash: Hash;
  /** The V2 tree. */
  tree: Pubkey;
  /** Rank among the leaves that migrated to the tree in this slot, from 0. */
  place: number;
  /**
   * In the V2 tree. Null if the slot has no output of the tree: the leaves of the slot then follow the last leaf of older
   * slots.
   */
  leafIndex: number | null;
}

/** A leaf that entered an output queue: an output, whose leaf index its event states, or a migrated leaf. */
type QueuedLeaf = { leafIndex: number } | { migrated: Hash };

/**
 * Finds the leaves that migrated to V2 trees, and numbers those of a tree with outputs in the slot. A queue has its leaves in
 * the order of the events, so each output numbers its neighbours:
 *
 * ```
 * events       migrated   output 7   migrated   migrated   output 10
 * leaf index      6          7          8          9          10
 * ```
 */
export function foldMigratedLeaves({ transactions }: SlotEvents, trees: TreeDirectory): MigratedLeaf[] {
  const queues = new Map<TreeInfo, QueuedLeaf[]>();
  const add = (treeAccount: Pubkey, leaf: QueuedLeaf) => {
    const tree = trees.find(treeAccount);
    if (tree?.type !== 'stateV2') return;
    const queue = queues.get(tree);
    if (queue) queue.push(leaf);
    else queues.set(tree, [leaf]);
  };
  for (const event of transactions.flatMap(({ events }) => events)) {
    if (event.kind === 'leaf-migrated') add(event.queue, { migrated: event.hash });
    if (event.kind !== 'transition') continue;
    for (const { treeAccount, leafIndex } of event.outputs) add(treeAccount, { leafIndex });
  }
  return [...queues].flatMap(([{ tree }, queue]) => numberMigratedLeaves(tree, queue));
}

function numberMigratedLeaves(tree: Pubkey, queue: readonly QueuedLeaf[]): MigratedLeaf[] {
  const found: MigratedLeaf[] = [];
  // The leaf index at position 0 of the list, as the last output before a leaf states it, or else the first one after it.
  let start = startOf(queue);
  for (const [at, leaf] of queue.entries()) {
    if ('leafIndex' in leaf) start = leaf.leafIndex - at;
    else found.push({ hash: leaf.migrated, tree, place: found.length, leafIndex: start === null ? null : start + at });
  }
  return found;
}

function startOf(queue: readonly QueuedLeaf[]): number | null {
  for (const [at, leaf] of queue.entries()) if ('leafIndex' in leaf) return leaf.leafIndex - at;
  return null;
}
