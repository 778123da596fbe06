import { type TreeReads } from '@fresnel/adapters/tree-store';
import { type Hash, type TreeHasher } from '@fresnel/domain/primitives';
import {
  type AddressBatchChange,
  type AddressInsertChange,
  type AddressTreeType,
  type AddressUpdate,
  hashElements,
  type IndexedElement,
  InsertPlan,
  isAddressTreeChange,
  isSameElement,
  lastSeqOf,
  type TreeChange,
  TreeMismatchError,
} from '@fresnel/domain/trees';
import { LowElements } from './low-elements';
import { type TreeChanger } from './tree-changer';
import { type TreeDraft } from './tree-draft';

/** Applies the changes of an address tree to a draft. */
export class AddressTreeChanger implements TreeChanger {
  private readonly lows: LowElements;
  private readonly plan = new InsertPlan((value) => this.lows.find(value));

  constructor(
    private readonly draft: TreeDraft,
    private readonly type: AddressTreeType,
    tree: TreeReads,
    private readonly hasher: TreeHasher,
  ) {
    this.lows = new LowElements(tree, [...draft.elements.values()]);
  }

  /** Low elements are read with the change that needs them: a batch inserts what is queued by then. */
  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async apply(change: TreeChange): Promise<void> {
    if (!isAddressTreeChange(change)) throw new TreeMismatchError(`an address tree has no change ${change.kind}`);
    switch (change.kind) {
      case 'address-insert':
        return this.applyInsert(change);
      case 'address-queued':
        this.draft.enqueue(change.queueIndex, change.address);
        return;
      case 'address-batch':
        return this.applyBatch(change);
    }
  }

  /** AddressV1. Nodes are hashed once per series, and where the root of the tree account can be compared. */
  private async applyInsert(change: AddressInsertChange): Promise<void> {
    const { seq, updates } = change;
    const last = lastSeqOf(change);
    if (!this.draft.isApplicable(seq, last)) return;
    if (this.draft.acceptGaps) {
      for (const update of updates) this.insertUnchecked(update);
    } else {
      await this.lows.read(updates.map(({ high }) => high.value));
      const inserted = updates.flatMap((update) => this.insertAsReported(update));
      await this.writeElements(inserted);
    }
    await this.draft.reachSeq(last);
  }

  private insertAsReported({ low, lowHash, high, highHash }: AddressUpdate): ReportedElement[] {
    const inserted = this.plan.insert(this.draft.head.nextIndex, high.value);
    if (!isSameElement(inserted.low, low) || !isSameElement(inserted.high, high)) {
      throw new TreeMismatchError(`the chain reports another insert at leaf ${high.index} than this copy computes`);
    }
    this.draft.undo.recordInsert(inserted.low, inserted.high);
    this.draft.head.nextIndex++;
    return [
      { element: inserted.low, reportedHash: lowHash },
      { element: inserted.high, reportedHash: highHash },
    ];
  }

  /** Writes elements in their order; one may be written more than once. */
  private async writeElements(reported: readonly ReportedElement[]): Promise<void> {
    const { type } = this;
    const elements = reported.map(({ element }) => element);
    const hashes = await hashElements(type, elements, this.hasher.hashBatch);
    for (const [at, { element, reportedHash }] of reported.entries()) {
      if (reportedHash && !hashes[at].equals(reportedHash))
        throw new TreeMismatchError(`the chain reports another hash for leaf ${element.index}`);
      this.draft.elements.set(element.index, element);
      this.draft.writeLeaf(element.index, hashes[at]);
    }
  }

  private insertUnchecked({ low, lowHash, high, highHash }: AddressUpdate): void {
    this.draft.elements.set(low.index, low).set(high.index, high);
    this.draft.writeLeaf(low.index, lowHash);
    this.draft.writeLeaf(high.index, highHash);
    this.draft.undo.recordInsert(low, high);
    this.draft.head.nextIndex = Math.max(this.draft.head.nextIndex, high.index + 1);
  }

  /** AddressV2. The chain reports the root after every batch, so each batch is hashed and compared. */
  private async applyBatch({ seq, oldNextIndex, newNextIndex, newRoot }: AddressBatchChange): Promise<void> {
    if (!this.draft.isApplicable(seq, seq)) return;
    const addresses = await this.draft.readQueue(oldNextIndex - 1n, newNextIndex - 1n);
    if (!this.draft.acceptGaps) {
      if (oldNextIndex !== BigInt(this.draft.head.nextIndex))
        throw new TreeMismatchError('the batch starts at another leaf index than expected');
      // Missing addresses were queued before the first indexed slot. `seq` stays behind, so proofs are refused.
      if (addresses.size < Number(newNextIndex - oldNextIndex)) return;
    }
    await this.lows.read([...addresses.values()]);
    await this.insertQueued(addresses);
    this.draft.head.seq = seq;
    this.draft.head.nextIndex = Number(newNextIndex);
    await this.draft.rehash(newRoot);
  }

  /** The chain reports no leaves of a batch, so that each touched element is hashed once. */
  private async insertQueued(addresses: ReadonlyMap<bigint, Hash>): Promise<void> {
    const touched = new Map<number, IndexedElement>();
    for (const [position, address] of addresses) {
      const inserted = this.planInsert(Number(position) + 1, address);
      if (!inserted) continue;
      this.draft.undo.recordInsert(inserted.low, inserted.high);
      touched.set(inserted.low.index, inserted.low).set(inserted.high.index, inserted.high);
    }
    await this.writeElements([...touched.values()].map((element) => ({ element })));
  }

  /** @returns null for an address that cannot be inserted, if gaps are accepted */
  private planInsert(index: number, address: Hash): { low: IndexedElement; high: IndexedElement } | null {
    try {
      return this.plan.insert(index, address);
    } catch (error) {
      if (this.draft.acceptGaps && error instanceof TreeMismatchError) return null;
      throw error;
    }
  }
}

/** A changed element, and its hash if the chain reports it. */
interface ReportedElement {
  element: IndexedElement;
  reportedHash?: Hash;
}
