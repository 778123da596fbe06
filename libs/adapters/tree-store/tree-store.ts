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

/**
 * Names a commit. Ids are random, so that two commits never have the same one, also after a store has lost commits: what has an
 * id has the contents that its commit made.
 */
export type EntryId = string;

/** A tree as its writer sees it. */
export interface TreeReads {
  /** Null for a tree that does not exist. */
  readonly head: TreeHead | null;
  /** Returns the low element of each value; undefined if there is none. */
  findLowElements(values: readonly Hash[]): Promise<(IndexedElement | undefined)[]>;
  /** Returns the pages that exist. */
  readPages(ids: readonly PageId[]): Promise<Map<PageId, Buffer>>;
  /**
   * Returns queued addresses or leaves by queue position, from `from` inclusive to `to` exclusive, without gaps.
   *
   * @param limit the most entries
   */
  readQueue(from: bigint, to: bigint, limit?: number): Promise<Map<bigint, Hash>>;
  /** StateV2: like `readQueue`, of the input queue. */
  readNullifiers(from: bigint, to: bigint, limit?: number): Promise<Map<bigint, QueuedNullifier>>;
  /** Returns the undo records of the last changes, oldest first, at most `UNDO_DEPTH`. */
  readUndo(): Promise<UndoRecord[]>;
}

/** A stored tree as of one entry. Each read throws `TreeMovedError` if the tree is at another entry by then. */
export interface OpenTree extends TreeReads {
  /** The entry that changed the tree last; null for a tree that does not exist. */
  readonly entry: EntryId | null;
}

/** Injection token of the `ProofStore`: the `TreeStore`, or replicas of it. */
export const PROOF_STORE = Symbol('ProofStore');

/**
 * The trees as proofs are read from them.
 *
 * Each read sees one entry of a tree. The tree is as of the slot of its partition if it is at the entry that the partition names
 * for it; otherwise it is as of the slot of its own entry.
 */
export interface ProofStore {
  /** The slot up to which all partitions are applied; null while a partition has no slot. */
  findSlot(): Promise<Slot | null>;
  /**
   * Whether there is no tree, as on a new chain. False while it is not certain: until a writer has claimed each partition and
   * has loaded its trees.
   */
  isEmpty(): Promise<boolean>;
  /** The slot that a tree is as of; null for an unknown tree or one without a slot. */
  findTreeSlot(tree: Pubkey): Promise<Slot | null>;

  /**
   * Reads the data for proofs. Null for an unknown tree, a state tree, or one without a slot.
   *
   * @param minSlot a slot that `findTreeSlot` has returned for the tree: the partitions are not asked again if they had it then.
   * The tree may be as of a lower slot nevertheless
   */
  readProofs(tree: Pubkey, addresses: readonly Hash[], minSlot?: Slot): Promise<TreeProofs | null>;

  /**
   * Reads leaves of a state tree with their paths. Null for an unknown tree, an address tree, or one without a slot.
   *
   * @param minSlot as for `readProofs`
   */
  readLeaves(tree: Pubkey, leafIndices: readonly number[], minSlot?: Slot): Promise<TreeLeaves | null>;

  /**
   * Reads the head of a tree. Null for an unknown tree or one without a slot.
   *
   * @param minSlot as for `readProofs`
   */
  readHead(tree: Pubkey, minSlot?: Slot): Promise<TreeAtSlot | null>;

  /**
   * Reads entries of the queues of a V2 tree, with the nodes that foresters need to update the tree. Null for an unknown tree,
   * one without a slot, and one without a requested queue.
   *
   * @param minSlot as for `readProofs`
   * @throws TreeMovedError if batches are written faster than the tree is read
   */
  readQueuedElements(tree: Pubkey, request: QueuedElementsRequest, minSlot?: Slot): Promise<QueuedElements | null>;
}

/**
 * Address trees and state trees: heads, elements ordered by value, pages of nodes, queues, and undo records.
 *
 * Each read of a tree sees a commit completely or not at all.
 */
export interface TreeStore extends ProofStore {
  /** Opens a tree as of its newest entry. */
  openTree(tree: Pubkey): Promise<OpenTree>;
  /**
   * Makes the trees of a partition equal to the journal, and returns them for a writer. Several writers may have the same
   * partition: of two commits that were computed from the same state, the journal accepts one.
   *
   * @throws OtherLogError if the trees belong to another log
   */
  claimPartition(partition: number, partitionCount: number): Promise<TreePartition>;
}

/** The trees of a partition for one writer. Its state is that of the last commit; after a failed commit it is not known. */
export interface TreePartition extends PartitionState {
  /** The offset of the next record of `tree-updates`; null: the start of the log. */
  readonly offset: bigint | null;
  readonly trees: readonly Pubkey[];
  openTree(tree: Pubkey): Promise<OpenTree>;
  /**
   * Stores the changes of a batch, all of them or none. After a failure the writer claims the partition again, to learn whether the
   * commit was stored.
   *
   * @throws FencedError if the journal has other commits than those that this one was computed from
   */
  commit(commit: TreeStoreCommit): Promise<void>;
  /** Checks that journal and store have what this writer has committed last. @throws FencedError */
  check(): Promise<void>;
}

/** What a partition has applied. */
export interface PartitionState {
  /** The newest block up to which the trees are applied; null before the first one. */
  readonly block: BlockAtSlot | null;
  /** Recent blocks; empty before the first one. */
  readonly blocks: readonly RecentBlock[];
  /** Whether blocks are refused until a revert decides on their branch. Then no proofs of the partition are served. */
  readonly hasRefused: boolean;
}

/** A slot, and the block that was applied up to it. */
export interface BlockAtSlot {
  slot: Slot;
  /** Null: the block at the fork point of a revert that is not among the recent blocks. */
  blockhash: Hash | null;
}

/** One state of a tree. */
export interface TreeAtSlot extends BlockAtSlot {
  head: TreeHead;
  /** Whether the partition of the tree has refused blocks. */
  hasRefused: boolean;
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
  /** The values of the leaves, in the order of the request. */
  leaves: Hash[];
  /** Their paths, in the same order. */
  paths: MerklePaths;
}

/** The changes of a batch. */
export interface TreeStoreCommit {
  trees: readonly TreeEntry[];
  /** The newest watermark. The block of the partition does not change when this is null or lower. */
  block: BlockAtSlot | null;
  /** Undefined: the batch contains no block and no revert. */
  blocks?: BlocksCommit;
  /** The offset after the records of the batch, which start at the offset of the partition. */
  to: bigint;
}

/** The changes of a partition's recent blocks. */
export interface BlocksCommit {
  /** Replaces the stored recent blocks. */
  recent: readonly RecentBlock[];
  /**
   * Slot of the fork point. A higher slot is lowered to it, before the block of the commit raises it. Null: no revert.
   */
  forkPointSlot: Slot | null;
  hasRefused: boolean;
}

/** A block whose records were read from a partition. */
export interface RecentBlock extends BlockRef {
  /** Null: only the block itself is known, by its revert, or because the first record of the partition named it. */
  parentSlot: Slot | null;
  /** `admitted`: on the branch of the trees. `refused`: on another branch. `orphaned`: reverted, or the child of such a block. */
  state: 'admitted' | 'orphaned' | 'refused';
  /** Whether it changes a tree, of any partition. */
  changesTrees: boolean;
}

/** The changes of one tree, and the entry that they were computed from. */
export interface TreeEntry extends TreeCommit {
  /** The entry that has changed the tree last; null for a new tree. */
  on: EntryId | null;
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

/** Numbers of the first undo record that a commit writes, and of the oldest one to keep. All others are deleted. */
export function undoNumbers({ head, undo }: TreeCommit): { first: number; oldestKept: number } {
  const { count } = head.changes;
  return { first: count - undo.length, oldestKept: Math.max(count - UNDO_DEPTH, 0) };
}

/** Whether a commit changes nothing but the ends of queues, so that what was read before it stays true. */
export function extendsQueuesOnly({ removed, elements, pages, queue, inputQueue }: TreeCommit): boolean {
  const changed = removed.length + elements.length + pages.size;
  return changed === 0 && queue.truncatedFrom === null && inputQueue.truncatedFrom === null;
}
