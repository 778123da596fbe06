import { type QueueCommit, type TreeCommit, type TreeReads } from '@fresnel/adapters/tree-store';
import { type Hash, type Slot, toHash, type TreeHasher } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import {
  classifySequence,
  highestPositions,
  type IndexedElement,
  isSameState,
  type LeafMigratedChange,
  NodePages,
  type PageId,
  pagesOnPaths,
  positionsAfter,
  type QueuedNullifier,
  queueStartOf,
  stateOf,
  type TreeChange,
  type TreeHead,
  type TreeInfo,
  TreeMismatchError,
  trustedInfo,
  type TreeState,
  UndoDraft,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { type RootCheck } from './root-checks';

/** How a series of updates is applied. */
export interface DraftOptions {
  /** The tree as it is stored. */
  tree: TreeReads;
  hasher: TreeHasher;
  /** For recordings that start inside a tree's history: skips checks, and treats missing leaves as empty. */
  acceptGaps: boolean;
  /** Called for each root that is computed. */
  onRoot: (check: RootCheck) => void;
}

/** A tree before a series of updates. Elements and pages are those of a tree that is not stored yet. */
export type TreeBefore = Pick<TreeCommit, 'elements' | 'pages' | 'head'>;

/** A tree while a series of updates is applied to it: everything that both kinds of trees have in common. */
export class TreeDraft {
  readonly head: TreeHead;
  /** Elements of an address tree that the series has changed, by leaf index. */
  readonly elements = new Map<number, IndexedElement>();
  /** The changes of the current update. */
  undo = new UndoDraft();
  readonly acceptGaps: boolean;
  private readonly queued = new Map<bigint, Hash>();
  private readonly nullifiers = new Map<bigint, QueuedNullifier>();
  /** Changed leaves whose ancestor nodes are not hashed yet. */
  private readonly dirty = new Map<number, Hash>();
  /** Pages as they are stored; null: not stored. */
  private readonly stored = new Map<PageId, Buffer | null>();
  private readonly pages: NodePages;
  private readonly records: UndoRecord[] = [];
  /** The slot of the current update, and the tree before it. */
  private current: { slot: Slot; before: TreeState };

  /** @param info from the newest update */
  constructor(
    private readonly before: TreeBefore,
    private readonly info: TreeInfo,
    private readonly options: DraftOptions,
  ) {
    const { head, elements, pages } = before;
    this.acceptGaps = options.acceptGaps;
    this.head = { ...head, info: trustedInfo(head, info), seen: { ...head.seen } };
    this.pages = new NodePages((id) => this.stored.get(id) ?? undefined, options.hasher.hash);
    for (const element of elements) this.elements.set(element.index, element);
    for (const [id, page] of pages) this.stored.set(id, page);
    this.current = { slot: head.changes.lastSlot, before: stateOf(head, true) };
  }

  /** Whether the root of the head includes all changes. */
  get isHashed(): boolean {
    return this.dirty.size === 0;
  }

  /** Starts the update of a block. */
  startUpdate({ slot }: TreeUpdate): void {
    this.undo = new UndoDraft();
    this.current = { slot, before: stateOf(this.head, this.isHashed) };
  }

  /** Records the positions of a change in a slot. */
  see(change: TreeChange, slot: Slot): void {
    this.head.seen = highestPositions(this.head.seen, positionsAfter(change, slot));
  }

  /** @returns false for a repetition, and after a gap unless gaps are accepted */
  isApplicable(first: bigint, last: bigint, applied = this.head.seq): boolean {
    const step = classifySequence(first, last, applied);
    return step === 'next' || (step === 'gap' && this.acceptGaps);
  }

  /** Moves to a sequence number whose root the chain may report by the tree account only. */
  async reachSeq(seq: bigint): Promise<void> {
    this.head.seq = seq;
    if (this.head.info.observed.seq === seq) await this.rehash();
  }

  writeLeaf(leafIndex: number, hash: Hash): void {
    this.dirty.set(leafIndex, hash);
  }

  /** A copy of a leaf whose pages were loaded: its page changes when the tree is hashed. */
  leafAt(leafIndex: number): Hash {
    return this.dirty.get(leafIndex) ?? toHash(Buffer.from(this.pages.node({ level: 0, index: leafIndex })));
  }

  /** Reads the pages on the paths of leaves, each once. */
  async loadPaths(leafIndices: Iterable<number>): Promise<void> {
    const { height } = this.head.info;
    const missing = pagesOnPaths(leafIndices, height).filter((id) => !this.stored.has(id));
    if (missing.length === 0) return;
    const found = await this.options.tree.readPages(missing);
    for (const id of missing) this.stored.set(id, found.get(id) ?? null);
  }

  /** Adds a value to the queue of new values, unless it is a repetition or after a gap. */
  enqueue(position: bigint, hash: Hash): void {
    if (!this.isApplicable(position, position, this.head.queueEnd - 1n)) return;
    this.queued.set(position, hash);
    this.head.queueEnd = position + 1n;
  }

  /**
   * Adds a migrated leaf to the output queue, at the next position. The chain gives it no number:
   *
   * - A block whose leaves were migrated already is a repetition.
   * - While earlier operations are missing, the next position is not known. Then a leaf waits until it is published again with its leaf
   *   index, or from the first leaf of the tree on.
   *
   * If the count is wrong nevertheless, later operations differ from it: leaf indices, or the root of a batch.
   */
  enqueueMigrated({ hash, leafIndex }: LeafMigratedChange): void {
    const { head } = this;
    const { slot, before } = this.current;
    if (slot <= before.migratedSlot) return;
    const hasGap = head.seen.queueEnd > head.queueEnd || before.seen.migratedSlot > before.migratedSlot;
    const isFirst = head.queueEnd === 0n && slot <= before.changes.lastSlot;
    const isNext = leafIndex === undefined ? !hasGap || isFirst : BigInt(leafIndex) === head.queueEnd;
    if (!isNext && !this.acceptGaps) return;
    this.queued.set(head.queueEnd, hash);
    head.queueEnd++;
    head.migratedSlot = slot;
  }

  /** Adds a nullifier to the input queue, unless it is a repetition or after a gap. */
  enqueueNullifier(position: bigint, nullifier: QueuedNullifier): void {
    if (!this.isApplicable(position, position, this.head.inputQueueEnd - 1n)) return;
    this.nullifiers.set(position, nullifier);
    this.head.inputQueueEnd = position + 1n;
  }

  /** Values of the queue of new values by position, including those of this series. */
  readQueue(from: bigint, to: bigint): Promise<Map<bigint, Hash>> {
    return withAdded(this.options.tree.readQueue(from, to), this.queued, from, to);
  }

  /** Entries of the input queue by position, including those of this series. */
  readNullifiers(from: bigint, to: bigint): Promise<Map<bigint, QueuedNullifier>> {
    return withAdded(this.options.tree.readNullifiers(from, to), this.nullifiers, from, to);
  }

  /**
   * Hashes the nodes above changed leaves, and compares the root if the tree account was read at this `seq`.
   *
   * @param reported the root that the chain reports for this `seq`, to be compared as well
   * @throws TreeMismatchError
   */
  async rehash(reported?: Hash): Promise<void> {
    const isChanged = this.dirty.size > 0;
    if (isChanged) {
      await this.loadPaths(this.dirty.keys());
      const { height } = this.head.info;
      this.head.root = await this.pages.writeLeavesInBatches(this.dirty, height, this.options.hasher);
      this.dirty.clear();
    }
    this.compareRoot(isChanged, reported);
  }

  /** Ends the update of a block. A block that changed the tree leaves an undo record. */
  endUpdate({ slot, blockhash }: TreeUpdate): void {
    const { before } = this.current;
    if (isSameState(before, stateOf(this.head, true))) return;
    const { count, lastSlot } = before.changes;
    this.records.push(this.undo.finish({ slot, blockhash }, before));
    this.head.changes = { count: count + 1, lastSlot: slot > lastSlot ? slot : lastSlot };
  }

  commit(): TreeCommit {
    const { head } = this;
    return {
      head: { ...head, info: trustedInfo(head, this.info) },
      removed: [],
      elements: [...this.elements.values()],
      pages: new Map([...this.before.pages, ...this.pages.changedPages()]),
      queue: additions(this.queued, queueStartOf(head)),
      inputQueue: additions(this.nullifiers, head.inputQueueStart),
      undo: this.records,
    };
  }

  private compareRoot(isChanged: boolean, reported: Hash | undefined): void {
    const { seq, root, info } = this.head;
    const observed = info.observed.seq === seq ? info.observed.root : null;
    if (this.acceptGaps || (!observed && !reported)) {
      if (isChanged) this.options.onRoot('unchecked');
      return;
    }
    if (observed && !observed.equals(root))
      this.rejectRoot(`the root at ${seq} differs from the root in the tree account`);
    if (reported && !reported.equals(root)) {
      this.rejectRoot(`the root after batch ${seq} differs from the root that the chain reports`);
    }
    this.options.onRoot('matched');
  }

  /** @throws TreeMismatchError */
  private rejectRoot(message: string): never {
    this.options.onRoot('mismatched');
    throw new TreeMismatchError(message);
  }
}

function additions<Entry>(added: ReadonlyMap<bigint, Entry>, start: bigint): QueueCommit<Entry> {
  return { truncatedFrom: null, added, start };
}

async function withAdded<Entry>(
  reading: Promise<Map<bigint, Entry>>,
  added: ReadonlyMap<bigint, Entry>,
  from: bigint,
  to: bigint,
): Promise<Map<bigint, Entry>> {
  const found = await reading;
  for (const [position, entry] of added) if (position >= from && position < to) found.set(position, entry);
  return new Map([...found].sort(([a], [b]) => Number(a - b)));
}
