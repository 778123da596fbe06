import { type Hash, isZero, type TreeHasher, ZERO_HASH } from '@fresnel/domain/primitives';
import { hashNullifiers, type TreeUpdate } from '@fresnel/domain/state';
import {
  isAddressTreeChange,
  lastSeqOf,
  type LeafQueuedChange,
  type LeavesAppendedChange,
  type LeavesNullifiedChange,
  type NullifierQueuedChange,
  type StateBatchChange,
  type TreeChange,
  TreeMismatchError,
} from '@fresnel/domain/trees';
import { type TreeChanger } from './tree-changer';
import { type TreeDraft } from './tree-draft';

/** Applies the changes of a state tree to a draft. */
export class StateTreeChanger implements TreeChanger {
  private readonly nullifiers = new Map<NullifierQueuedChange, Hash>();

  constructor(
    private readonly draft: TreeDraft,
    private readonly hasher: TreeHasher,
  ) {}

  /** Hashes the nullifiers of a series at once, and reads the pages above the leaves that it names. */
  async prepare(updates: readonly TreeUpdate[]): Promise<void> {
    const changes = updates.flatMap((update) => update.changes);
    const queued = changes.filter((change) => change.kind === 'nullifier-queued');
    const hashes = await hashNullifiers(queued, this.hasher.hashBatch);
    queued.forEach((change, at) => this.nullifiers.set(change, hashes[at]));
    await this.draft.loadPaths(new Set(changes.flatMap(namedLeaves)));
  }

  async apply(change: TreeChange): Promise<void> {
    if (isAddressTreeChange(change)) throw new TreeMismatchError(`a state tree has no change ${change.kind}`);
    switch (change.kind) {
      case 'leaves-appended':
        return this.appendLeaves(change);
      case 'leaves-nullified':
        return this.nullifyLeaves(change);
      case 'leaf-queued':
        this.queueLeaf(change);
        return;
      case 'leaf-migrated':
        this.draft.enqueueMigrated(change);
        return;
      case 'nullifier-queued':
        this.queueNullifier(change);
        return;
      case 'append-batch':
        return this.appendBatch(change);
      case 'nullify-batch':
        return this.nullifyBatch(change);
    }
  }

  /** StateV1. Nodes are hashed once per series, and where the root of the tree account can be compared. */
  private async appendLeaves(change: LeavesAppendedChange): Promise<void> {
    const { head, acceptGaps } = this.draft;
    const last = lastSeqOf(change);
    if (!this.draft.isApplicable(change.seq, last)) return;
    for (const { leafIndex, hash } of change.leaves) {
      if (!acceptGaps && leafIndex !== head.nextIndex) {
        throw new TreeMismatchError(`the chain appends leaf ${leafIndex}, but this copy has ${head.nextIndex} leaves`);
      }
      this.writeLeaf(leafIndex, hash);
      head.nextIndex = Math.max(head.nextIndex, leafIndex + 1);
    }
    await this.draft.reachSeq(last);
  }

  /** StateV1. */
  private async nullifyLeaves(change: LeavesNullifiedChange): Promise<void> {
    const { head, acceptGaps } = this.draft;
    const last = lastSeqOf(change);
    if (!this.draft.isApplicable(change.seq, last)) return;
    for (const leafIndex of change.leafIndices) {
      if (!acceptGaps && leafIndex >= head.nextIndex) {
        throw new TreeMismatchError(
          `the chain nullifies leaf ${leafIndex}, but this copy has ${head.nextIndex} leaves`,
        );
      }
      this.writeLeaf(leafIndex, ZERO_HASH);
    }
    await this.draft.reachSeq(last);
  }

  private queueLeaf({ leafIndex, hash }: LeafQueuedChange): void {
    this.draft.enqueue(BigInt(leafIndex), hash);
  }

  private queueNullifier(change: NullifierQueuedChange): void {
    const nullifier = this.nullifiers.get(change);
    if (!nullifier) throw new Error('the nullifiers of the series are not hashed');
    const { queueIndex, leafIndex, hash, txHash } = change;
    this.draft.enqueueNullifier(queueIndex, { leafIndex, hash, txHash, nullifier });
  }

  /**
   * StateV2. The chain reports the root after every batch, so each batch is hashed and compared. A leaf that was nullified
   * before it is appended keeps its nullifier.
   */
  private async appendBatch({ seq, oldNextIndex, newNextIndex, newRoot }: StateBatchChange): Promise<void> {
    const { head, acceptGaps, undo } = this.draft;
    if (!this.draft.isApplicable(seq, seq)) return;
    const leaves = await this.draft.readQueue(oldNextIndex, newNextIndex);
    if (!acceptGaps) {
      if (oldNextIndex !== BigInt(head.nextIndex))
        throw new TreeMismatchError('the batch starts at another leaf index than expected');
      // Missing leaves were queued before the first indexed slot. `seq` stays behind, so proofs are refused.
      if (leaves.size < Number(newNextIndex - oldNextIndex)) return;
    }
    await this.draft.loadPaths(Array.from(leaves.keys(), Number));
    for (const [position, hash] of leaves) {
      const leafIndex = Number(position);
      if (isZero(this.draft.leafAt(leafIndex))) this.writeLeaf(leafIndex, hash);
      undo.recordAppended(leafIndex, hash);
    }
    head.seq = seq;
    head.nextIndex = Math.max(head.nextIndex, Number(newNextIndex));
    await this.draft.rehash(newRoot);
  }

  /** StateV2. A nullifier may be written to a leaf that is not appended yet. */
  private async nullifyBatch({ seq, oldNextIndex, newNextIndex, newRoot }: StateBatchChange): Promise<void> {
    const { head, acceptGaps, undo } = this.draft;
    if (!this.draft.isApplicable(seq, seq)) return;
    const entries = await this.draft.readNullifiers(oldNextIndex, newNextIndex);
    if (!acceptGaps) {
      if (oldNextIndex !== head.inputQueueStart)
        throw new TreeMismatchError('the batch starts at another position of the input queue than expected');
      if (entries.size < Number(newNextIndex - oldNextIndex)) return;
    }
    await this.draft.loadPaths(Array.from(entries.values(), ({ leafIndex }) => leafIndex));
    for (const [queueIndex, entry] of entries) {
      this.writeLeaf(entry.leafIndex, entry.nullifier);
      undo.recordNullified({ queueIndex, ...entry });
    }
    head.seq = seq;
    head.inputQueueStart = newNextIndex > head.inputQueueStart ? newNextIndex : head.inputQueueStart;
    await this.draft.rehash(newRoot);
  }

  private writeLeaf(leafIndex: number, hash: Hash): void {
    this.draft.undo.recordLeaf(leafIndex, this.draft.leafAt(leafIndex));
    this.draft.writeLeaf(leafIndex, hash);
  }
}

/** The leaves whose values before a change are needed, if the change names them. */
function namedLeaves(change: TreeChange): readonly number[] {
  if (change.kind === 'leaves-appended') return change.leaves.map(({ leafIndex }) => leafIndex);
  return change.kind === 'leaves-nullified' ? change.leafIndices : [];
}
