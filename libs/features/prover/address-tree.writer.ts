import { type TreeCommit, type TreeReads } from '@fresnel/adapters/tree-store';
import { type Hash, type Hasher, type TreeHasher } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import {
  type AddressBatchChange,
  type AddressInsertChange,
  type AddressQueuedChange,
  type AddressTreeChange,
  type AddressTreeHead,
  type AddressTreeInfo,
  type AddressUpdate,
  trustedInfo,
  createAddressTree,
  hashElements,
  type IndexedElement,
  InsertPlan,
  isSameElement,
  isSameState,
  NodePages,
  type PageId,
  pagesOnPaths,
  stateOf,
  classifySequence,
  TreeMismatchError,
  type TreeState,
  UndoDraft,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { LowElements } from './low-elements';
import { type RootCheck } from './root-checks';

/** Applies a series of updates to one address tree, and collects the changes in one commit. */
export class AddressTreeWriter {
  private readonly head: AddressTreeHead;
  private readonly elements = new Map<number, IndexedElement>();
  private readonly queued = new Map<bigint, Hash>();
  /** Changed leaves whose ancestor nodes are not hashed yet. */
  private readonly dirty = new Map<number, Hash>();
  private readonly lows: LowElements;
  private readonly plan = new InsertPlan((value) => this.lows.find(value));
  private readonly stored = new Map<PageId, Buffer>();
  private readonly pages: NodePages;
  /** The element changes of the current update. */
  private draft = new UndoDraft();
  private readonly undo: UndoRecord[] = [];

  private constructor(
    head: AddressTreeHead,
    /** From the newest update. */
    private readonly info: AddressTreeInfo,
    /** Elements and pages of a tree that is not stored yet. */
    private readonly initial: InitialTree,
    private readonly store: TreeReads,
    private readonly hasher: TreeHasher,
    /** For recordings that start inside a tree's history: skips checks, and treats missing leaves as empty. */
    private readonly acceptGaps: boolean,
    private readonly onRoot: (check: RootCheck) => void,
  ) {
    this.head = { ...head, info: trustedInfo(head, info), seen: { ...head.seen } };
    this.lows = new LowElements(store, info.tree, initial.elements);
    this.pages = new NodePages((id) => this.stored.get(id), hasher.hash);
    for (const element of initial.elements) this.elements.set(element.index, element);
    for (const [id, page] of initial.pages) this.stored.set(id, page);
  }

  /**
   * Applies updates of one tree, in chain order. Repeated changes have no effect. Changes after a gap are not applied. An
   * update that contradicts the tree quarantines it in the state before that block. Of the changes of a quarantined tree only
   * the positions are recorded, so that operations are missing once it is rebuilt.
   *
   * @param updates at least one; each has all changes of its block
   * @param onRoot called for each root that is computed
   */
  static async apply(
    updates: readonly TreeUpdate[],
    store: TreeReads,
    hasher: TreeHasher,
    acceptGaps: boolean,
    onRoot: (check: RootCheck) => void = () => undefined,
  ): Promise<TreeCommit> {
    const info = updates[updates.length - 1].tree;
    const stored = await store.findHead(info.tree);
    const { head, ...initial } = stored ? { head: stored, ...ALREADY_STORED } : createInitialTree(info, hasher.hash);
    const create = (report: (check: RootCheck) => void) =>
      new AddressTreeWriter(head, info, initial, store, hasher, acceptGaps, report);
    const writer = create(onRoot);
    if (head.quarantineReason) return writer.ignore(updates);
    const mismatch = await writer.applyAll(updates);
    if (!mismatch) return writer.commit();
    // The first writer has applied a part of the contradicting block: a second one stops before that block.
    const retry = create(() => undefined);
    await retry.applyAll(updates.slice(0, mismatch.at));
    retry.quarantine(updates[mismatch.at], mismatch.message);
    return retry.ignore(updates.slice(mismatch.at));
  }

  /** @returns the position of the update that contradicts the tree, and why; null if none does */
  private async applyAll(updates: readonly TreeUpdate[]): Promise<{ at: number; message: string } | null> {
    for (const [at, update] of updates.entries()) {
      try {
        if (at === 0) await this.rehash(); // compares the root, which may have been observed since the last series
        await this.applyUpdate(update);
        if (at === updates.length - 1) await this.rehash();
      } catch (error) {
        if (!(error instanceof TreeMismatchError)) throw error;
        return { at, message: error.message };
      }
    }
    return null;
  }

  private async applyUpdate(update: TreeUpdate): Promise<void> {
    const before = stateOf(this.head, this.dirty.size === 0);
    this.draft = new UndoDraft();
    for (const change of update.changes) await this.applyChange(change);
    if (!isSameState(before, stateOf(this.head, true))) this.record(update, before);
  }

  private quarantine(update: TreeUpdate, reason: string): void {
    const before = stateOf(this.head, true);
    this.draft = new UndoDraft();
    this.head.quarantineReason = reason;
    this.record(update, before);
  }

  /** Records the positions of updates that are not applied. Their blocks do not change the tree, and leave no undo records. */
  private ignore(updates: readonly TreeUpdate[]): TreeCommit {
    for (const change of updates.flatMap(({ changes }) => changes)) this.see(change);
    return this.commit();
  }

  private see(change: AddressTreeChange): void {
    const { seen } = this.head;
    const { seq, queueEnd } = endOf(change);
    if (seq > seen.seq) seen.seq = seq;
    if (queueEnd > seen.queueEnd) seen.queueEnd = queueEnd;
  }

  private record({ slot, blockhash }: TreeUpdate, before: TreeState): void {
    const { count, lastSlot } = before.changes;
    this.undo.push(this.draft.finish({ slot, blockhash }, before));
    this.head.changes = { count: count + 1, lastSlot: slot > lastSlot ? slot : lastSlot };
  }

  private commit(): TreeCommit {
    const { head } = this;
    return {
      head: { ...head, info: trustedInfo(head, this.info) },
      removed: [],
      elements: [...this.elements.values()],
      pages: new Map([...this.initial.pages, ...this.pages.changedPages()]),
      queueTruncatedFrom: null,
      queued: this.queued,
      queueStart: head.info.type === 'addressV2' ? BigInt(head.nextIndex - 1) : 0n,
      undo: this.undo,
    };
  }

  private async applyChange(change: AddressTreeChange): Promise<void> {
    this.see(change);
    switch (change.kind) {
      case 'address-insert':
        return this.applyInsert(change);
      case 'address-queued':
        this.applyQueued(change);
        return;
      case 'address-batch':
        return this.applyBatch(change);
    }
  }

  /** AddressV1. Nodes are hashed once per series, and where the root of the tree account can be compared. */
  private async applyInsert({ seq, updates }: AddressInsertChange): Promise<void> {
    const last = lastSeqOf({ seq, updates });
    if (!this.isApplicable(seq, last)) return;
    if (this.acceptGaps) {
      for (const update of updates) this.insertUnchecked(update);
    } else {
      await this.lows.read(updates.map(({ high }) => high.value));
      const inserted = updates.flatMap((update) => this.insertAsReported(update));
      await this.writeElements(inserted);
    }
    this.head.seq = last;
    if (this.head.info.observed.seq === last) await this.rehash();
  }

  /** @returns false for a repetition, and after a gap unless gaps are accepted */
  private isApplicable(first: bigint, last: bigint): boolean {
    const step = classifySequence(first, last, this.head.seq);
    return step === 'next' || (step === 'gap' && this.acceptGaps);
  }

  private insertAsReported({ low, lowHash, high, highHash }: AddressUpdate): ReportedElement[] {
    const inserted = this.plan.insert(this.head.nextIndex, high.value);
    if (!isSameElement(inserted.low, low) || !isSameElement(inserted.high, high)) {
      throw new TreeMismatchError(`the chain reports another insert at leaf ${high.index} than this copy computes`);
    }
    this.draft.recordInsert(inserted.low, inserted.high);
    this.head.nextIndex++;
    return [
      { element: inserted.low, reportedHash: lowHash },
      { element: inserted.high, reportedHash: highHash },
    ];
  }

  /** Writes elements in their order; one may be written more than once. */
  private async writeElements(reported: readonly ReportedElement[]): Promise<void> {
    const { type } = this.head.info;
    const elements = reported.map(({ element }) => element);
    const hashes = await hashElements(type, elements, this.hasher.hashBatch);
    for (const [at, { element, reportedHash }] of reported.entries()) {
      if (reportedHash && !hashes[at].equals(reportedHash))
        throw new TreeMismatchError(`the chain reports another hash for leaf ${element.index}`);
      this.elements.set(element.index, element);
      this.dirty.set(element.index, hashes[at]);
    }
  }

  private insertUnchecked({ low, lowHash, high, highHash }: AddressUpdate): void {
    this.elements.set(low.index, low).set(high.index, high);
    this.dirty.set(low.index, lowHash).set(high.index, highHash);
    this.draft.recordInsert(low, high);
    this.head.nextIndex = Math.max(this.head.nextIndex, high.index + 1);
  }

  private applyQueued({ address, queueIndex }: AddressQueuedChange): void {
    const step = classifySequence(queueIndex, queueIndex, this.head.queueEnd - 1n);
    if (step === 'duplicate' || (step === 'gap' && !this.acceptGaps)) return;
    this.queued.set(queueIndex, address);
    this.head.queueEnd = queueIndex + 1n;
  }

  /** AddressV2. The chain reports the root after every batch, so each batch is hashed and compared. */
  private async applyBatch({ seq, oldNextIndex, newNextIndex, newRoot }: AddressBatchChange): Promise<void> {
    if (!this.isApplicable(seq, seq)) return;
    const addresses = await this.readQueue(oldNextIndex - 1n, newNextIndex - 1n);
    if (!this.acceptGaps) {
      if (oldNextIndex !== BigInt(this.head.nextIndex))
        throw new TreeMismatchError('the batch starts at another leaf index than expected');
      // Missing addresses were queued before the first indexed slot. `seq` stays behind, so proofs are refused.
      if (addresses.size < Number(newNextIndex - oldNextIndex)) return;
    }
    await this.lows.read([...addresses.values()]);
    await this.insertQueued(addresses);
    this.head.seq = seq;
    this.head.nextIndex = Number(newNextIndex);
    await this.rehash(newRoot);
  }

  /** The chain reports no leaves of a batch, so that each touched element is hashed once. */
  private async insertQueued(addresses: ReadonlyMap<bigint, Hash>): Promise<void> {
    const touched = new Map<number, IndexedElement>();
    for (const [position, address] of addresses) {
      const inserted = this.planInsert(Number(position) + 1, address);
      if (!inserted) continue;
      this.draft.recordInsert(inserted.low, inserted.high);
      touched.set(inserted.low.index, inserted.low).set(inserted.high.index, inserted.high);
    }
    await this.writeElements([...touched.values()].map((element) => ({ element })));
  }

  /** @returns null for an address that cannot be inserted, if gaps are accepted */
  private planInsert(index: number, address: Hash): { low: IndexedElement; high: IndexedElement } | null {
    try {
      return this.plan.insert(index, address);
    } catch (error) {
      if (this.acceptGaps && error instanceof TreeMismatchError) return null;
      throw error;
    }
  }

  /** Queued addresses by position, including those of this series. */
  private async readQueue(from: bigint, to: bigint): Promise<Map<bigint, Hash>> {
    const stored = await this.store.readQueue(this.head.info.tree, from, to);
    for (let position = from; position < to; position++) {
      const address = this.queued.get(position);
      if (address) stored.set(position, address);
    }
    return stored;
  }

  /**
   * Hashes the nodes above changed leaves, and compares the root if the tree account was read at this `seq`.
   *
   * @param reported the root that the chain reports for this `seq`, to be compared as well
   */
  private async rehash(reported?: Hash): Promise<void> {
    const { tree, height } = this.head.info;
    const isChanged = this.dirty.size > 0;
    if (isChanged) {
      const missing = pagesOnPaths(this.dirty.keys(), height).filter((id) => !this.stored.has(id));
      for (const [id, page] of await this.store.readPages(tree, missing)) this.stored.set(id, page);
      this.head.root = await this.pages.writeLeavesInBatches(this.dirty, height, this.hasher.hashBatch);
      this.dirty.clear();
    }
    this.compareRoot(isChanged, reported);
  }

  private compareRoot(isChanged: boolean, reported: Hash | undefined): void {
    const { seq, root, info } = this.head;
    const observed = info.observed.seq === seq ? info.observed.root : null;
    if (this.acceptGaps || (!observed && !reported)) {
      if (isChanged) this.onRoot('unchecked');
      return;
    }
    if (observed && !observed.equals(root))
      this.rejectRoot(`the root at ${seq} differs from the root in the tree account`);
    if (reported && !reported.equals(root)) {
      this.rejectRoot(`the root after batch ${seq} differs from the root that the chain reports`);
    }
    this.onRoot('matched');
  }

  /** @throws TreeMismatchError */
  private rejectRoot(message: string): never {
    this.onRoot('mismatched');
    throw new TreeMismatchError(message);
  }
}

/** The positions after a change; 0 where it has none. */
function endOf(change: AddressTreeChange): { seq: bigint; queueEnd: bigint } {
  switch (change.kind) {
    case 'address-insert':
      return { seq: lastSeqOf(change), queueEnd: 0n };
    case 'address-queued':
      return { seq: 0n, queueEnd: change.queueIndex + 1n };
    case 'address-batch':
      return { seq: change.seq, queueEnd: 0n };
  }
}

/** An update of two elements uses two sequence numbers. */
function lastSeqOf({ seq, updates }: Pick<AddressInsertChange, 'seq' | 'updates'>): bigint {
  return seq + 2n * BigInt(updates.length) - 1n;
}

/** A changed element, and its hash if the chain reports it. */
interface ReportedElement {
  element: IndexedElement;
  reportedHash?: Hash;
}

/** The elements, ascending by value, and pages of a tree in its initial state. */
type InitialTree = Pick<TreeCommit, 'elements' | 'pages'>;

const ALREADY_STORED: InitialTree = { elements: [], pages: new Map() };

/** A tree in its initial state. It is stored in one commit with its updates, so that a fenced writer stores neither. */
function createInitialTree(info: AddressTreeInfo, hasher: Hasher): InitialTree & { head: AddressTreeHead } {
  const { head, elements, pages } = createAddressTree(info, hasher);
  return { head, elements, pages: pages.changedPages() };
}
