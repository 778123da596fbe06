import { type ClaimedPosition } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import {
  type TreeHead,
  type ElementKey,
  type IndexedElement,
  type MerklePaths,
  type NodePages,
  type PageId,
  type QueuedNullifier,
  UNDO_DEPTH,
  type UndoRecord,
} from '@fresnel/domain/trees';

/** Injection token of the `TreeStore`: in memory or in Redis. */
export const TREE_STORE = Symbol('TreeStore');

/** The writer's view of a tree. */
export interface TreeReads {
  findHead(tree: Pubkey): Promise<TreeHead | null>;
  /** Returns the low element of each value; undefined if there is none. */
  findLowElements(tree: Pubkey, values: readonly Hash[]): Promise<(IndexedElement | undefined)[]>;
  /** Returns the pages that exist. */
  readPages(tree: Pubkey, ids: readonly PageId[]): Promise<Map<PageId, Buffer>>;
  /** Returns queued addresses or leaves by queue position, from `from` inclusive to `to` exclusive, without gaps. */
  readQueue(tree: Pubkey, from: bigint, to: bigint): Promise<Map<bigint, Hash>>;
  /** StateV2: like `readQueue`, of the input queue. */
  readNullifiers(tree: Pubkey, from: bigint, to: bigint): Promise<Map<bigint, QueuedNullifier>>;
  /** Returns the undo records of the last changes, oldest first, at most `UNDO_DEPTH`. */
  readUndo(tree: Pubkey): Promise<UndoRecord[]>;
}

/** Injection token of the `ProofStore`: the `TreeStore`, or replicas of it. */
export const PROOF_STORE = Symbol('ProofStore');

/** The part of a `TreeStore` that proofs are read from. */
export interface ProofStore extends Pick<TreeStore, 'findSlot' | 'findTreeSlot' | 'isEmpty'> {
  /**
   * Reads the data for proofs from one state of the tree. Null for an unknown tree or one without a slot.
   *
   * @param minSlot a slot that `findTreeSlot` has returned for the tree; a state of a lower slot is returned only if the
   * tree was reverted since
   */
  readProofs(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot): Promise<TreeProofs | null>;

  /**
   * Reads leaves of a state tree with their siblings from one state of the tree. Null for an unknown tree, an address tree,
   * or one without a slot.
   *
   * @param minSlot as for `readProofs`
   */
  readLeaves(tree: Pubkey, leafIndices: readonly number[], minSlot: Slot): Promise<TreeLeaves | null>;

  /**
   * Reads the head and the slot of one state of a tree. Null for an unknown tree or one without a slot.
   *
   * @param minSlot as for `readProofs`
   */
  readHead(tree: Pubkey, minSlot: Slot): Promise<TreeAtSlot | null>;

  /**
   * Reads entries of the queues of a V2 tree, with the nodes that foresters need to update the tree, from one state of the
   * tree. Null for an unknown tree, one without a slot, and one without a requested queue.
   *
   * @param minSlot as for `readProofs`
   * @throws TreeMovedError if batches are written faster than the tree is read
   */
  readQueuedElements(tree: Pubkey, request: QueuedElementsRequest, minSlot: Slot): Promise<QueuedElements | null>;
}

/**
 * Address trees and state trees: heads, elements ordered by value, pages of nodes, queues, and undo records.
 *
 * Each read of a tree sees a commit completely or not at all.
 */
export interface TreeStore extends TreeReads {
  /** The slot up to which all partitions are applied; null while a partition has no slot. */
  findSlot(): Promise<Slot | null>;
  /**
   * Whether there is no tree, as on a new chain. False while it is not certain: until a writer has claimed each partition and
   * has loaded its trees.
   */
  isEmpty(): Promise<boolean>;
  /** The slot up to which a tree is applied, at or above `findSlot`; null for an unknown tree or one without a slot. */
  findTreeSlot(tree: Pubkey): Promise<Slot | null>;
  /** The offset of the next record of `tree-updates`; null: the start of the log. */
  findPosition(partition: number): Promise<bigint | null>;
  /** Recent blocks as of the last commit of a partition; empty before the first one. */
  readBlocks(partition: number): Promise<RecentBlock[]>;
  /** Claims a partition. Commits of the previous writer are fenced from then on. */
  claimPosition(partition: number, partitionCount: number): Promise<ClaimedPosition>;
  listHeads(): Promise<TreeHead[]>;
  /**
   * Checks that the store has what the writer of a partition has committed, up to an offset.
   *
   * @throws FencedError if it has lost something, or if another writer has claimed the partition
   */
  checkPosition(at: WriterPosition): Promise<void>;

  /** Reads the data for proofs from one state of the tree. Null for an unknown tree, a state tree, or one without a slot. */
  readProofs(tree: Pubkey, addresses: readonly Hash[]): Promise<TreeProofs | null>;

  /** As `ProofStore.readLeaves`. */
  readLeaves(tree: Pubkey, leafIndices: readonly number[]): Promise<TreeLeaves | null>;

  /** As `ProofStore.readHead`. */
  readHead(tree: Pubkey): Promise<TreeAtSlot | null>;

  /** As `ProofStore.readQueuedElements`. */
  readQueuedElements(tree: Pubkey, request: QueuedElementsRequest): Promise<QueuedElements | null>;

  /**
   * A failed commit can be retried, unchanged or with another number of records.
   *
   * @throws FencedError when another writer has claimed the partition; its data stay intact
   */
  commit(commit: TreeStoreCommit): Promise<void>;
}

/** One state of a tree. */
export interface TreeAtSlot {
  head: TreeHead;
  /** The slot up to which the tree is applied, at or above `findSlot`. */
  slot: Slot;
}

/** A state of a tree. Two states with the same history id are of the same branch of the chain. */
export interface TreeVersion {
  slot: Slot;
  /** Changes when the tree is created, reverted or reloaded. */
  historyId: string;
}

/** The queues of a tree to read; null: not read. */
export interface QueuedElementsRequest {
  outputs: QueueSelection | null;
  inputs: QueueSelection | null;
  addresses: QueueSelection | null;
}

/** Which entries of a queue to read. */
export interface QueueSelection {
  /** The first position, counted from the creation of the tree; null: the first entry. */
  from: bigint | null;
  /** The most entries. */
  limit: number;
  /** The number of entries is cut to a multiple of this. */
  multipleOf: number;
}

/** Entries of the queues of a tree. */
export interface QueuedElements extends TreeAtSlot {
  /** By leaf index: account hashes. */
  outputs: QueuePart<Hash>;
  inputs: QueuePart<QueuedNullifier>;
  addresses: QueuePart<Hash>;
  /** The low element of each read address, in the same order. */
  lows: (IndexedElement | undefined)[];
  /** Has the nodes on the paths of the leaves of `outputs`, `inputs` and `lows`, and of the last leaf. */
  nodes: NodePages;
}

/** Entries of a queue. */
export interface QueuePart<Entry> {
  /** Position of the first entry that was found; null if none was. It may not be in `entries`, which are cut. */
  first: bigint | null;
  /** By position, ascending. */
  entries: Map<bigint, Entry>;
}

export interface TreeProofs extends TreeAtSlot {
  /** In the order of the request. */
  items: TreeProof[];
  /** The paths of the low elements, in the order of the request; null if an address has no low element. */
  paths: MerklePaths | null;
}

export interface TreeProof {
  /** The low element; undefined if there is none. */
  low: IndexedElement | undefined;
  /** Whether the address is an element of the tree, or in its queue. */
  exists: boolean;
}

export interface TreeLeaves extends TreeAtSlot {
  /** In the order of the request. */
  items: TreeLeaf[];
}

export interface TreeLeaf {
  hash: Hash;
  /** Leaf level first. */
  siblings: Hash[];
}

/** The changes of a batch. */
export interface TreeStoreCommit {
  trees: readonly TreeCommit[];
  /** The slot does not change when this is null or lower. */
  slot: Slot | null;
  /** Undefined: the batch contains no block and no revert. */
  blocks?: BlocksCommit;
  /** Null when the updates do not come from a bus. */
  position: TreePositionMove | null;
}

/** The changes of a partition's recent blocks. */
export interface BlocksCommit {
  /** Replaces the stored recent blocks. */
  recent: readonly RecentBlock[];
  /**
   * Slot of the fork point. A higher slot is lowered to it, before the slot of the commit raises it. Null: no revert.
   */
  forkPointSlot: Slot | null;
}

/**
 * The move of a position over the records of a batch. The position must be at `from`, or at `to` if the commit
 * succeeded before but its response was lost.
 */
export interface TreePositionMove {
  partition: number;
  /** The epoch of the claim. */
  epoch: bigint;
  from: bigint;
  to: bigint;
}

/** The position of the writer of a partition. */
export interface WriterPosition extends Pick<TreePositionMove, 'partition' | 'epoch'> {
  offset: bigint;
}

/** A block whose records were read from a partition. */
export interface RecentBlock extends BlockRef {
  /** Whether the block is orphaned. */
  isOrphaned: boolean;
}

/** The changes of one tree. Removals are applied before insertions, because elements and queued addresses can move. */
export interface TreeCommit {
  head: TreeHead;
  /** Removed elements. */
  removed: readonly ElementKey[];
  /** New and rewritten elements. */
  elements: readonly IndexedElement[];
  pages: ReadonlyMap<PageId, Buffer>;
  /** V2: queued addresses; StateV2: the output queue. */
  queue: QueueCommit<Hash>;
  /** StateV2: the input queue. */
  inputQueue: QueueCommit<QueuedNullifier>;
  /** Undo records of the last changes. They replace records with the same numbers. */
  undo: readonly UndoRecord[];
}

/** The changes of a queue. The first ones are made first. */
export interface QueueCommit<Entry> {
  /** Entries from this position on are removed; null: none. */
  truncatedFrom: bigint | null;
  /** Added entries by position. */
  added: ReadonlyMap<bigint, Entry>;
  /** Entries at lower positions were written to the tree, and are removed. */
  start: bigint;
}

/** An unchanged queue, or a tree without one. */
export const NO_QUEUE_CHANGES: QueueCommit<never> = { truncatedFrom: null, added: new Map<bigint, never>(), start: 0n };

/** The slot after a commit. */
export function slotAfter(stored: Slot | null, { slot, blocks }: TreeStoreCommit): Slot | null {
  const forkPointSlot = blocks?.forkPointSlot ?? null;
  const kept = stored !== null && forkPointSlot !== null && forkPointSlot < stored ? forkPointSlot : stored;
  return slot !== null && (kept === null || slot > kept) ? slot : kept;
}

/** Numbers of the first undo record that a commit writes, and of the oldest one to keep. All others are deleted. */
export function undoNumbers({ head, undo }: TreeCommit): { first: number; oldestKept: number } {
  const { count } = head.changes;
  return { first: count - undo.length, oldestKept: Math.max(count - UNDO_DEPTH, 0) };
}
