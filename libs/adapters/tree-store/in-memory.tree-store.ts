import { FencedError, type ClaimedPosition } from '@fresnel/contracts/messages';
import { type Hash, type Hasher, keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import {
  type IndexedElement,
  isAddressTree,
  type PageId,
  type QueuedNullifier,
  type TreeHead,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { InMemoryTree, StoredTree } from './in-memory.tree';
import { readQueuedElements } from './queued-elements';
import {
  type RecentBlock,
  slotAfter,
  type QueuedElements,
  type QueuedElementsRequest,
  type TreeAtSlot,
  type TreeLeaves,
  type TreeProofs,
  type TreeStore,
  type TreeStoreCommit,
  type TreeVersion,
} from './tree-store';

/** Stores commits durably, so that the store can be loaded after a restart. */
export interface TreeJournal {
  load(): Promise<JournalContents>;
  claimPosition(partition: number): Promise<ClaimedPosition>;
  /** Stores a commit atomically. @throws FencedError */
  persist(commit: TreeStoreCommit): Promise<void>;
}

export interface JournalContents {
  slot: Slot | null;
  /** By partition. */
  positions: Map<number, bigint>;
  /** The epochs of the claims so far, by partition. */
  epochs: Map<number, bigint>;
  /** By partition. */
  blocks: Map<number, RecentBlock[]>;
  trees: StoredTree[];
}

/**
 * Trees in memory, with a write-through journal. It supports one partition only, because all trees share one
 * slot.
 */
export class InMemoryTreeStore implements TreeStore {
  private readonly trees = new Map<string, InMemoryTree>();
  private readonly positions = new Map<number, bigint>();
  private readonly blocks = new Map<number, readonly RecentBlock[]>();
  /** Epochs of the last known claims, by partition. */
  private readonly epochs = new Map<number, bigint>();
  private slot: Slot | null = null;
  /** Counts the commits with a revert, and the loads: the history id of all trees. */
  private reverts = 0;

  private constructor(
    private readonly hasher: Hasher,
    private readonly journal: TreeJournal | null,
  ) {}

  /** @param journal null: commits are lost with the process */
  static async open(hasher: Hasher, journal: TreeJournal | null): Promise<InMemoryTreeStore> {
    const store = new InMemoryTreeStore(hasher, journal);
    await store.load();
    return store;
  }

  private async load(): Promise<void> {
    const contents = await this.journal?.load();
    if (!contents) return;
    this.reverts++;
    this.slot = contents.slot;
    for (const [partition, epoch] of contents.epochs) this.epochs.set(partition, epoch);
    for (const [partition, offset] of contents.positions) this.positions.set(partition, offset);
    for (const [partition, blocks] of contents.blocks) this.blocks.set(partition, blocks);
    for (const tree of contents.trees) this.trees.set(keyOf(tree.head.info.tree), new InMemoryTree(tree));
  }

  findSlot(): Promise<Slot | null> {
    return Promise.resolve(this.slot);
  }

  isEmpty(): Promise<boolean> {
    return Promise.resolve(this.trees.size === 0);
  }

  findTreeSlot(tree: Pubkey): Promise<Slot | null> {
    return Promise.resolve(this.find(tree) ? this.slot : null);
  }

  findPosition(partition: number): Promise<bigint | null> {
    return Promise.resolve(this.positions.get(partition) ?? null);
  }

  readBlocks(partition: number): Promise<RecentBlock[]> {
    return Promise.resolve([...(this.blocks.get(partition) ?? [])]);
  }

  async claimPosition(partition: number): Promise<ClaimedPosition> {
    if (this.journal) {
      const claimed = await this.journal.claimPosition(partition);
      const isNext = claimed.epoch === (this.epochs.get(partition) ?? 0n) + 1n;
      // Another writer may have committed after the trees were loaded, or a tree may have been rebuilt.
      if (!isNext || claimed.offset !== (this.positions.get(partition) ?? null)) await this.load();
      this.epochs.set(partition, claimed.epoch);
      return claimed;
    }
    const epoch = (this.epochs.get(partition) ?? 0n) + 1n;
    this.epochs.set(partition, epoch);
    return { offset: this.positions.get(partition) ?? null, epoch };
  }

  /** Memory loses nothing, and the next commit detects another writer. */
  checkPosition(): Promise<void> {
    return Promise.resolve();
  }

  listHeads(): Promise<TreeHead[]> {
    return Promise.resolve([...this.trees.values()].map(({ head }) => head));
  }

  findHead(tree: Pubkey): Promise<TreeHead | null> {
    return Promise.resolve(this.find(tree)?.head ?? null);
  }

  findLowElements(tree: Pubkey, values: readonly Hash[]): Promise<(IndexedElement | undefined)[]> {
    const elements = this.find(tree)?.elements;
    return Promise.resolve(values.map((value) => elements?.findLow(value)));
  }

  readPages(tree: Pubkey, ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    return Promise.resolve(this.find(tree)?.pages.copy(ids) ?? new Map<PageId, Buffer>());
  }

  readQueue(tree: Pubkey, from: bigint, to: bigint, limit?: number): Promise<Map<bigint, Hash>> {
    return Promise.resolve(this.find(tree)?.queue.read(from, to, limit) ?? new Map<bigint, Hash>());
  }

  readNullifiers(tree: Pubkey, from: bigint, to: bigint, limit?: number): Promise<Map<bigint, QueuedNullifier>> {
    const queue = this.find(tree)?.inputQueue;
    return Promise.resolve(queue?.read(from, to, limit) ?? new Map<bigint, QueuedNullifier>());
  }

  readUndo(tree: Pubkey): Promise<UndoRecord[]> {
    return Promise.resolve([...(this.find(tree)?.undo ?? [])]);
  }

  readProofs(key: Pubkey, addresses: readonly Hash[]): Promise<TreeProofs | null> {
    const tree = this.find(key);
    if (!tree || this.slot === null || !isAddressTree(tree.head.info)) return Promise.resolve(null);
    return Promise.resolve({ head: tree.head, slot: this.slot, ...tree.prove(addresses, this.hasher) });
  }

  readLeaves(key: Pubkey, leafIndices: readonly number[]): Promise<TreeLeaves | null> {
    const tree = this.find(key);
    if (!tree || this.slot === null || isAddressTree(tree.head.info)) return Promise.resolve(null);
    return Promise.resolve({ head: tree.head, slot: this.slot, items: tree.readLeaves(leafIndices, this.hasher) });
  }

  readHead(key: Pubkey): Promise<(TreeAtSlot & TreeVersion) | null> {
    const tree = this.find(key);
    if (!tree || this.slot === null) return Promise.resolve(null);
    return Promise.resolve({ head: tree.head, slot: this.slot, historyId: String(this.reverts) });
  }

  readQueuedElements(tree: Pubkey, request: QueuedElementsRequest): Promise<QueuedElements | null> {
    return readQueuedElements(this, tree, request, this.hasher);
  }

  async commit(commit: TreeStoreCommit): Promise<void> {
    if (this.journal) await this.journal.persist(commit);
    else this.requirePosition(commit);
    // No await below, so no read sees a partial commit.
    for (const change of commit.trees) this.treeFor(change.head).apply(change);
    this.slot = slotAfter(this.slot, commit);
    if ((commit.blocks?.forkPointSlot ?? null) !== null) this.reverts++;
    if (!commit.position) return;
    const { partition, to } = commit.position;
    this.positions.set(partition, to);
    if (commit.blocks) this.blocks.set(partition, commit.blocks.recent);
  }

  /** Checks epoch and position if there is no journal. */
  private requirePosition({ position }: TreeStoreCommit): void {
    if (!position) return;
    const { partition, epoch, from, to } = position;
    const stored = this.positions.get(partition);
    const isExpected = stored === undefined || stored === from || stored === to;
    if (isExpected && epoch === this.epochs.get(partition)) return;
    throw new FencedError(`the position of partition ${partition} is ${stored ?? 'not set'}, or it has another writer`);
  }

  private find(tree: Pubkey): InMemoryTree | undefined {
    return this.trees.get(keyOf(tree));
  }

  private treeFor(head: TreeHead): InMemoryTree {
    const key = keyOf(head.info.tree);
    let tree = this.trees.get(key);
    if (!tree) {
      tree = new InMemoryTree(new StoredTree(head));
      this.trees.set(key, tree);
    }
    return tree;
  }
}
