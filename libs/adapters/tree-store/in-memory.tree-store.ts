import { FencedError, type ClaimedPosition } from '@fresnel/contracts/messages';
import { type Hash, type Hasher, keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import {
  type AddressTreeHead,
  type IndexedElement,
  NodePages,
  type PageId,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { SortedElements } from './sorted-elements';
import {
  type RecentBlock,
  slotAfter,
  type TreeCommit,
  type TreeProof,
  type TreeProofs,
  type TreeStore,
  type TreeStoreCommit,
  undoNumbers,
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
  /** By partition. */
  blocks: Map<number, RecentBlock[]>;
  trees: StoredTree[];
}

export interface StoredTree {
  head: AddressTreeHead;
  elements: IndexedElement[];
  pages: Map<PageId, Buffer>;
  /** Queued addresses by queue position. */
  queue: Map<bigint, Hash>;
  /** Oldest first. */
  undo: UndoRecord[];
}

/**
 * Address trees in memory, with a write-through journal. It supports one partition only, because all trees share one
 * slot.
 */
export class InMemoryTreeStore implements TreeStore {
  private readonly trees = new Map<string, Tree>();
  private readonly positions = new Map<number, bigint>();
  private readonly blocks = new Map<number, readonly RecentBlock[]>();
  /** Epochs by partition; unused with a journal, which stores them. */
  private readonly epochs = new Map<number, bigint>();
  private slot: Slot | null = null;

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
    this.slot = contents.slot;
    for (const [partition, offset] of contents.positions) this.positions.set(partition, offset);
    for (const [partition, blocks] of contents.blocks) this.blocks.set(partition, blocks);
    for (const tree of contents.trees) this.trees.set(keyOf(tree.head.info.tree), new Tree(tree));
  }

  findSlot(): Promise<Slot | null> {
    return Promise.resolve(this.slot);
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
      // The previous writer may have committed after the trees were loaded.
      if (claimed.offset !== (this.positions.get(partition) ?? null)) await this.load();
      return claimed;
    }
    const epoch = (this.epochs.get(partition) ?? 0n) + 1n;
    this.epochs.set(partition, epoch);
    return { offset: this.positions.get(partition) ?? null, epoch };
  }

  listHeads(): Promise<AddressTreeHead[]> {
    return Promise.resolve([...this.trees.values()].map(({ head }) => head));
  }

  findHead(tree: Pubkey): Promise<AddressTreeHead | null> {
    return Promise.resolve(this.find(tree)?.head ?? null);
  }

  findLowElements(tree: Pubkey, values: readonly Hash[]): Promise<(IndexedElement | undefined)[]> {
    const elements = this.find(tree)?.elements;
    return Promise.resolve(values.map((value) => elements?.findLow(value)));
  }

  readPages(tree: Pubkey, ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    const pages = this.find(tree)?.pages;
    return Promise.resolve(pick(ids, (id) => pages?.get(id)));
  }

  readQueue(tree: Pubkey, from: bigint, to: bigint): Promise<Map<bigint, Hash>> {
    const queue = this.find(tree)?.queue;
    const positions = Array.from({ length: Number(to - from) }, (_, at) => from + BigInt(at));
    return Promise.resolve(pick(positions, (position) => queue?.get(position)));
  }

  readUndo(tree: Pubkey): Promise<UndoRecord[]> {
    return Promise.resolve([...(this.find(tree)?.undo ?? [])]);
  }

  readProofs(key: Pubkey, addresses: readonly Hash[]): Promise<TreeProofs | null> {
    const tree = this.find(key);
    if (!tree || this.slot === null) return Promise.resolve(null);
    const nodes = new NodePages((id) => tree.pages.get(id), this.hasher);
    const items = addresses.map((address): TreeProof => {
      const low = tree.elements.findLow(address);
      const siblings = low ? nodes.siblings(low.index, tree.head.info.height) : [];
      return { low, siblings, exists: tree.exists(address, low) };
    });
    return Promise.resolve({ head: tree.head, slot: this.slot, items });
  }

  async commit(commit: TreeStoreCommit): Promise<void> {
    if (this.journal) await this.journal.persist(commit);
    else this.requirePosition(commit);
    // No await below, so no read sees a partial commit.
    for (const change of commit.trees) this.treeFor(change.head).apply(change);
    this.slot = slotAfter(this.slot, commit);
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

  private find(tree: Pubkey): Tree | undefined {
    return this.trees.get(keyOf(tree));
  }

  private treeFor(head: AddressTreeHead): Tree {
    const key = keyOf(head.info.tree);
    let tree = this.trees.get(key);
    if (!tree) {
      tree = new Tree({ head, elements: [], pages: new Map(), queue: new Map(), undo: [] });
      this.trees.set(key, tree);
    }
    return tree;
  }
}

class Tree {
  head: AddressTreeHead;
  readonly elements: SortedElements;
  readonly pages: Map<PageId, Buffer>;
  readonly queue: Map<bigint, Hash>;
  undo: readonly UndoRecord[];
  private readonly queuedAddresses: Set<string>;

  constructor({ head, elements, pages, queue, undo }: StoredTree) {
    this.head = head;
    this.elements = new SortedElements(elements);
    this.pages = pages;
    this.queue = queue;
    this.undo = undo;
    this.queuedAddresses = new Set([...queue.values()].map(keyOf));
  }

  exists(address: Hash, low: IndexedElement | undefined): boolean {
    return (
      (low?.nextValue.equals(address) ?? false) ||
      this.elements.has(address) ||
      this.queuedAddresses.has(keyOf(address))
    );
  }

  apply(commit: TreeCommit): void {
    const { head, removed, elements, pages, queueTruncatedFrom, queued, queueStart } = commit;
    this.head = head;
    for (const element of removed) this.elements.remove(element);
    for (const element of elements) this.elements.put(element);
    for (const [id, page] of pages) this.pages.set(id, page);
    if (queueTruncatedFrom !== null) this.removeQueued((position) => position >= queueTruncatedFrom);
    for (const [position, address] of queued) {
      this.queue.set(position, address);
      this.queuedAddresses.add(keyOf(address));
    }
    this.removeQueued((position) => position < queueStart);
    this.replaceUndo(commit);
  }

  private removeQueued(isRemoved: (position: bigint) => boolean): void {
    for (const [position, address] of this.queue) {
      if (!isRemoved(position)) continue;
      this.queue.delete(position);
      this.queuedAddresses.delete(keyOf(address));
    }
  }

  private replaceUndo(commit: TreeCommit): void {
    const { first, oldestKept } = undoNumbers(commit);
    const isKept = ({ before }: UndoRecord) => before.changes.count >= oldestKept;
    const before = this.undo.filter((record) => record.before.changes.count < first);
    this.undo = [...before, ...commit.undo].filter(isKept);
  }
}

function pick<Key, Value>(keys: readonly Key[], find: (key: Key) => Value | undefined): Map<Key, Value> {
  const found = new Map<Key, Value>();
  for (const key of keys) {
    const value = find(key);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}
