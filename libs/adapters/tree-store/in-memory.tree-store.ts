import { FencedError, partitionOfTree } from '@fresnel/contracts/messages';
import { type Hash, type Hasher, keyOf, type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import {
  type IndexedElement,
  isAddressTree,
  type PageId,
  type QueuedNullifier,
  type TreeHead,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { TreeMovedError } from './tree-store.errors';
import { InMemoryTree } from './in-memory.tree';
import { entryOf, type JournalEntry } from './journal-entry';
import { type PostgresTreeJournal } from './postgres.tree-journal';
import { type QueueReads, readQueuedElements } from './queued-elements';
import { type JournaledPartition, NEW_PARTITION, partitionAfter } from './tree-journal';
import {
  type BlockAtSlot,
  type EntryId,
  type OpenTree,
  type QueuedElements,
  type QueuedElementsRequest,
  type RecentBlock,
  type TreeAtSlot,
  type TreeLeaves,
  type TreePartition,
  type TreeProofs,
  type TreeStore,
  type TreeStoreCommit,
} from './tree-store';

/** The journal of a store in memory. */
export type LoadableTreeJournal = Pick<PostgresTreeJournal, 'readAll' | 'persist' | 'readPartition'>;

/** Trees in memory. Their journal, if there is one, has every commit first, and decides whether it is accepted. */
export class InMemoryTreeStore implements TreeStore {
  private trees = new Map<string, InMemoryTree>();
  private readonly partitions = new Map<number, JournaledPartition>();
  private partitionCount = 1;

  private constructor(
    private readonly hasher: Hasher,
    private readonly journal: LoadableTreeJournal | null,
  ) {}

  /**
   * @param journal null: commits are lost with the process
   * @throws OtherLogError
   */
  static async open(hasher: Hasher, journal: LoadableTreeJournal | null): Promise<InMemoryTreeStore> {
    const store = new InMemoryTreeStore(hasher, journal);
    if (journal) await store.load(journal, 0);
    return store;
  }

  /** The numbers of trees and of their leaves. */
  get size(): { trees: number; leaves: number } {
    const leaves = [...this.trees.values()].reduce((sum, { head }) => sum + head.nextIndex, 0);
    return { trees: this.trees.size, leaves };
  }

  async claimPartition(partition: number, partitionCount: number): Promise<TreePartition> {
    this.partitionCount = partitionCount;
    const { journal } = this;
    const journaled = await journal?.readPartition(partition, partitionCount);
    if (journal && journaled && !this.isAt(partition, journaled)) await this.load(journal, partition);
    return new InMemoryPartition(this, partition, this.partitionAt(partition));
  }

  /** Checks that neither this store nor its journal has other commits. @throws FencedError */
  async check(partition: number, known: JournaledPartition): Promise<void> {
    const journaled = (await this.journal?.readPartition(partition, this.partitionCount)) ?? known;
    if (this.isAt(partition, known) && this.isAt(partition, journaled)) return;
    throw new FencedError(`partition ${partition} has commits of another writer`);
  }

  /** @throws FencedError, OtherLogError */
  async commit(entry: JournalEntry): Promise<void> {
    if (this.journal) await this.journal.persist(entry);
    else this.requireNewest(entry);
    // No await below, so no read sees a partial commit.
    for (const tree of entry.trees) this.treeFor(tree.head, entry.id).apply(tree, entry.id);
    this.partitions.set(entry.partition, partitionAfter(this.partitionAt(entry.partition), entry));
  }

  findSlot(): Promise<Slot | null> {
    const slots = Array.from({ length: this.partitionCount }, (_, at) => this.partitionAt(at).block?.slot ?? null);
    return Promise.resolve(slots.every((slot) => slot !== null) ? toSlot(Math.min(...slots)) : null);
  }

  isEmpty(): Promise<boolean> {
    return Promise.resolve(this.trees.size === 0);
  }

  findTreeSlot(tree: Pubkey): Promise<Slot | null> {
    return Promise.resolve(this.find(tree)?.at.slot ?? null);
  }

  openTree(key: Pubkey): Promise<OpenTree> {
    return Promise.resolve(new OpenInMemoryTree(this.trees.get(keyOf(key)), 'entry', this.isStored));
  }

  readProofs(key: Pubkey, addresses: readonly Hash[]): Promise<TreeProofs | null> {
    const found = this.find(key);
    if (!found || !isAddressTree(found.at.head.info)) return Promise.resolve(null);
    return Promise.resolve({ ...found.at, ...found.tree.prove(addresses, this.hasher) });
  }

  readLeaves(key: Pubkey, leafIndices: readonly number[]): Promise<TreeLeaves | null> {
    const found = this.find(key);
    if (!found || isAddressTree(found.at.head.info)) return Promise.resolve(null);
    return Promise.resolve({ ...found.at, ...found.tree.readLeaves(leafIndices, this.hasher) });
  }

  readHead(key: Pubkey): Promise<TreeAtSlot | null> {
    return Promise.resolve(this.find(key)?.at ?? null);
  }

  readQueuedElements(key: Pubkey, request: QueuedElementsRequest): Promise<QueuedElements | null> {
    return readQueuedElements(() => this.openQueues(key), request, this.hasher);
  }

  /** Opens a tree to read its queues; null for an unknown tree or one without a slot. */
  openQueues(key: Pubkey): Promise<QueueReads | null> {
    const found = this.find(key);
    const reads = found && new OpenInMemoryTree(found.tree, 'nodesEntry', this.isStored);
    return Promise.resolve(reads ? { at: found.at, reads } : null);
  }

  private load(journal: LoadableTreeJournal, partition: number): Promise<void> {
    return journal.readAll(partition, this.partitionCount, async (state, journaled) => {
      const trees = new Map<string, InMemoryTree>();
      for (const tree of journaled) trees.set(keyOf(tree.head.info.tree), await InMemoryTree.load(tree));
      this.trees = trees;
      this.partitions.set(partition, state);
    });
  }

  private partitionAt(partition: number): JournaledPartition {
    return this.partitions.get(partition) ?? NEW_PARTITION;
  }

  /** Whether this store has the newest entries of a partition and its trees. */
  private isAt(partition: number, { entry, offset, trees }: JournaledPartition): boolean {
    const stored = this.partitionAt(partition);
    const isSame = stored.entry === entry && stored.offset === offset && stored.trees.length === trees.length;
    return isSame && trees.every(({ tree, entry: newest }) => this.trees.get(keyOf(tree))?.entry === newest);
  }

  /** What a journal would check. @throws FencedError */
  private requireNewest({ partition, on, from, trees }: JournalEntry): void {
    const { entry, offset } = this.partitionAt(partition);
    const areNewest = trees.every(
      ({ head, on: named }) => (this.trees.get(keyOf(head.info.tree))?.entry ?? null) === named,
    );
    if (areNewest && entry === on && (offset ?? 0n) === from) return;
    throw new FencedError(`partition ${partition} has commits of another writer`);
  }

  /** A tree with what its partition says of it; undefined for an unknown tree or one without a slot. */
  private find(key: Pubkey): { tree: InMemoryTree; at: TreeAtSlot } | undefined {
    const tree = this.trees.get(keyOf(key));
    const { block, hasRefused } = this.partitionAt(partitionOfTree(key, this.partitionCount));
    return tree && block ? { tree, at: { head: tree.head, ...block, hasRefused } } : undefined;
  }

  private readonly isStored = (tree: InMemoryTree) => this.trees.get(keyOf(tree.head.info.tree)) === tree;

  private treeFor(head: TreeHead, entry: EntryId): InMemoryTree {
    const key = keyOf(head.info.tree);
    const tree = this.trees.get(key) ?? new InMemoryTree(head, entry);
    this.trees.set(key, tree);
    return tree;
  }
}

/** A partition as a writer of this process has claimed it. */
class InMemoryPartition implements TreePartition {
  constructor(
    private readonly store: InMemoryTreeStore,
    private readonly partition: number,
    private state: JournaledPartition,
  ) {}

  get offset(): bigint | null {
    return this.state.offset;
  }

  get block(): BlockAtSlot | null {
    return this.state.block;
  }

  get blocks(): readonly RecentBlock[] {
    return this.state.blocks;
  }

  get hasRefused(): boolean {
    return this.state.hasRefused;
  }

  get trees(): Pubkey[] {
    return this.state.trees.map(({ tree }) => tree);
  }

  openTree(tree: Pubkey): Promise<OpenTree> {
    return this.store.openTree(tree);
  }

  check(): Promise<void> {
    return this.store.check(this.partition, this.state);
  }

  async commit(commit: TreeStoreCommit): Promise<void> {
    const entry = entryOf(this.partition, this.state, commit);
    await this.store.commit(entry);
    this.state = partitionAfter(this.state, entry);
  }
}

/** A tree in memory until it is at another entry, or at one that changes more than the ends of its queues. */
class OpenInMemoryTree implements OpenTree {
  readonly entry: EntryId | null;
  readonly head: TreeHead | null;
  private readonly opened: EntryId | null;

  constructor(
    private readonly tree: InMemoryTree | undefined,
    private readonly field: 'entry' | 'nodesEntry',
    private readonly isStored: (tree: InMemoryTree) => boolean,
  ) {
    this.entry = tree?.entry ?? null;
    this.head = tree?.head ?? null;
    this.opened = tree?.[field] ?? null;
  }

  findLowElements(values: readonly Hash[]): Promise<(IndexedElement | undefined)[]> {
    return this.read(
      ({ elements }) => values.map((value) => elements.findLow(value)),
      () => values.map(() => undefined),
    );
  }

  readPages(ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    return this.read(
      (tree) => tree.readPages(ids),
      () => new Map<PageId, Buffer>(),
    );
  }

  readQueue(from: bigint, to: bigint, limit?: number): Promise<Map<bigint, Hash>> {
    return this.read(
      ({ queue }) => queue.read(from, to, limit),
      () => new Map<bigint, Hash>(),
    );
  }

  readNullifiers(from: bigint, to: bigint, limit?: number): Promise<Map<bigint, QueuedNullifier>> {
    return this.read(
      ({ inputQueue }) => inputQueue.read(from, to, limit),
      () => new Map<bigint, QueuedNullifier>(),
    );
  }

  readUndo(): Promise<UndoRecord[]> {
    return this.read(
      (tree) => tree.readUndo(),
      () => [],
    );
  }

  private read<Result>(of: (tree: InMemoryTree) => Result, ofNone: () => Result): Promise<Result> {
    const { tree } = this;
    if (!tree) return Promise.resolve(ofNone());
    const isMoved = tree[this.field] !== this.opened || !this.isStored(tree);
    return isMoved ? Promise.reject(new TreeMovedError('the tree has changed')) : Promise.resolve(of(tree));
  }
}
