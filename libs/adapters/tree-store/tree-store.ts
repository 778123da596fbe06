import { type TakenPosition } from '@fresnel/contracts/messages';
import { type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type AddressTreeHead, type IndexedElement, type PageId } from '@fresnel/domain/trees';

/** Injection token: trees in this process's memory, or in Redis. */
export const TREE_STORE = Symbol('TreeStore');

/**
 * Address trees: heads, elements in the order of their values, pages of nodes, and addresses that wait for a batch.
 *
 * A commit is seen as a whole or not at all, by every read of a tree.
 */
export interface TreeStore {
  /** Slot up to which everything is applied in every partition, null while one of them has not reached any. */
  findSlot(): Promise<Slot | null>;
  /** How far a tree is, which may be further than others are; null for a tree that is not known, or knows no slot yet. */
  findTreeSlot(tree: Pubkey): Promise<Slot | null>;
  /** Where consumption of `tree-updates` goes on, null for the beginning. */
  findPosition(partition: number): Promise<bigint | null>;
  /** The same; commits of who had the partition before are refused from then on. */
  takePosition(partition: number, partitionCount: number): Promise<TakenPosition>;
  listHeads(): Promise<AddressTreeHead[]>;
  findHead(tree: Pubkey): Promise<AddressTreeHead | null>;

  /** For each value the element with the largest value below it; undefined where there is none. */
  findLowElements(tree: Pubkey, values: readonly Hash[]): Promise<(IndexedElement | undefined)[]>;
  /** The pages that exist. */
  readPages(tree: Pubkey, ids: readonly PageId[]): Promise<Map<PageId, Buffer>>;
  /** Waiting addresses by queue position, from `from` up to, not including, `to`; holes are left out. */
  readQueue(tree: Pubkey, from: bigint, to: bigint): Promise<Map<bigint, Hash>>;

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
  isTaken: boolean;
}

/** What a batch changes. */
export interface TreeStoreCommit {
  trees: readonly TreeCommit[];
  /** Null, or a lower one than before: the slot stays where it is. */
  slot: Slot | null;
  /** Null where updates do not come from a bus. */
  position: TreePositionMove | null;
}

/** The records of a batch. The position must stand at their first, or behind them where only our answer was lost. */
export interface TreePositionMove {
  partition: number;
  /** As the partition was taken. */
  epoch: bigint;
  from: bigint;
  to: bigint;
}

/** What changes in one tree. */
export interface TreeCommit {
  head: AddressTreeHead;
  /** New and rewritten ones. */
  elements: readonly IndexedElement[];
  pages: ReadonlyMap<PageId, Buffer>;
  /** Addresses that took a place in the queue, by position. */
  queued: ReadonlyMap<bigint, Hash>;
  /** Waiting addresses at lower positions have become leaves. */
  queueStart: bigint;
}
