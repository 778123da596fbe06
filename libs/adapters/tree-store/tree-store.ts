import { type TakenPosition } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import {
  type AddressTreeHead,
  type ElementKey,
  type IndexedElement,
  type PageId,
  UNDO_DEPTH,
  type UndoRecord,
} from '@fresnel/domain/trees';

/** Injection token: trees in this process's memory, or in Redis. */
export const TREE_STORE = Symbol('TreeStore');

/** A tree as who changes it sees it. */
export interface TreeReads {
  findHead(tree: Pubkey): Promise<AddressTreeHead | null>;
  /** For each value the element with the largest value below it; undefined where there is none. */
  findLowElements(tree: Pubkey, values: readonly Hash[]): Promise<(IndexedElement | undefined)[]>;
  /** The pages that exist. */
  readPages(tree: Pubkey, ids: readonly PageId[]): Promise<Map<PageId, Buffer>>;
  /** Waiting addresses by queue position, from `from` up to, not including, `to`; holes are left out. */
  readQueue(tree: Pubkey, from: bigint, to: bigint): Promise<Map<bigint, Hash>>;
  /** How to take the last changes back, oldest first; each of them once, `UNDO_DEPTH` at most. */
  readUndo(tree: Pubkey): Promise<UndoRecord[]>;
}

/**
 * Address trees: heads, elements in the order of their values, pages of nodes, addresses that wait for a batch, and how
 * to take the last blocks back.
 *
 * A commit is seen as a whole or not at all, by every read of a tree.
 */
export interface TreeStore extends TreeReads {
  /** Slot up to which everything is applied in every partition, null while one of them has not reached any. */
  findSlot(): Promise<Slot | null>;
  /** How far a tree is, which may be further than others are; null for a tree that is not known, or knows no slot yet. */
  findTreeSlot(tree: Pubkey): Promise<Slot | null>;
  /** Where consumption of `tree-updates` goes on, null for the beginning. */
  findPosition(partition: number): Promise<bigint | null>;
  /** What the last commit of a partition remembered; nothing where consumption begins at the beginning. */
  readBlocks(partition: number): Promise<RecentBlock[]>;
  /** The same; commits of who had the partition before are refused from then on. */
  claimPosition(partition: number, partitionCount: number): Promise<TakenPosition>;
  listHeads(): Promise<AddressTreeHead[]>;

  /** All that a proof needs, from one state of the tree. Null for a tree that is not known, or knows no slot yet. */
  readProofs(tree: Pubkey, addresses: readonly Hash[]): Promise<TreeProofs | null>;

  /**
   * A commit that fails may be repeated, as it was or with another number of records.
   *
   * @throws StalePositionError when another writer has taken over; it loses nothing of its own then
   */
  commit(commit: TreeStoreCommit): Promise<void>;
}

export interface TreeProofs {
  head: AddressTreeHead;
  /** How far the tree is: at least `findSlot`. */
  slot: Slot;
  /** In the order asked for. */
  items: TreeProof[];
}

export interface TreeProof {
  /** Undefined where no element lies below the address. */
  low: IndexedElement | undefined;
  /** Siblings of the low element's leaf, leaf level first. */
  siblings: Hash[];
  /** The address is an element of the tree, or waits in its queue. */
  exists: boolean;
}

/** What a batch changes. */
export interface TreeStoreCommit {
  trees: readonly TreeCommit[];
  /** Null, or a lower one than before: the slot stays where it is. */
  slot: Slot | null;
  /** Not there: no block was met, and none taken back. */
  blocks?: BlocksCommit;
  /** Null where updates do not come from a bus. */
  position: TreePositionMove | null;
}

/** What a batch says of a partition's blocks. */
export interface BlocksCommit {
  /** To be remembered instead of what was remembered. */
  recent: readonly RecentBlock[];
  /** The slot of the block that all is taken back to: a slot beyond it goes back there, before the commit's moves it on. */
  forkPointSlot: Slot | null;
}

/** The records of a batch. The position must stand at their first, or behind them where only our answer was lost. */
export interface TreePositionMove {
  partition: number;
  /** As the partition was taken. */
  epoch: bigint;
  from: bigint;
  to: bigint;
}

/** A block that records of a partition were about. */
export interface RecentBlock extends BlockRef {
  /** The chain has left it. */
  isOrphaned: boolean;
}

/** What changes in one tree. Things go before others take their place: an element may move, and so may what waits. */
export interface TreeCommit {
  head: AddressTreeHead;
  /** Elements that are no more. */
  removed: readonly ElementKey[];
  /** New and rewritten ones. */
  elements: readonly IndexedElement[];
  pages: ReadonlyMap<PageId, Buffer>;
  /** Addresses that waited at this position and behind it wait no more; null: none. */
  queueTruncatedFrom: bigint | null;
  /** Addresses that took a place in the queue, by position. */
  queued: ReadonlyMap<bigint, Hash>;
  /** Waiting addresses at lower positions have become leaves. */
  queueStart: bigint;
  /** The records of the last changes that the head counts. They take the place of those that had their numbers. */
  undo: readonly UndoRecord[];
}

/** The slot after a commit. */
export function slotAfter(held: Slot | null, { slot, blocks }: TreeStoreCommit): Slot | null {
  const forkPointSlot = blocks?.forkPointSlot ?? null;
  const kept = held !== null && forkPointSlot !== null && forkPointSlot < held ? forkPointSlot : held;
  return slot !== null && (kept === null || slot > kept) ? slot : kept;
}

/** Numbers of the undo records that a commit writes, and of those that stay; all others go. */
export function undoNumbers({ head, undo }: TreeCommit): { first: number; oldestKept: number } {
  const { times } = head.changed;
  return { first: times - undo.length, oldestKept: Math.max(times - UNDO_DEPTH, 0) };
}
