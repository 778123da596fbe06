import { type BlockRef } from '@fresnel/domain/chain';
import { type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement } from './indexed-element';
import { type LeafValue, type QueuedNullifier } from './state-changes';
import { type TreeHead } from './tree';

/** The before-image of one block's change of one tree. */
export interface UndoRecord extends BlockRef {
  before: TreeState;
  /** The elements that the block rewrote, with their values before the block. */
  rewritten: readonly IndexedElement[];
  /**
   * Address trees: the elements that the block appended. StateV2: the account hashes that left the output queue, by leaf
   * index.
   */
  appended: readonly ElementKey[];
  /** State trees: the leaves that the block wrote, with their values before the block. */
  leaves: readonly LeafValue[];
  /** StateV2: the nullifiers that left the input queue. */
  nullified: readonly NullifiedEntry[];
}

/** An entry of an input queue, with its position. */
export interface NullifiedEntry extends QueuedNullifier {
  queueIndex: bigint;
}

/** The part of a head that blocks change. */
export type TreeState = Pick<
  TreeHead,
  | 'seq'
  | 'nextIndex'
  | 'queueEnd'
  | 'inputQueueStart'
  | 'inputQueueEnd'
  | 'migratedSlot'
  | 'seen'
  | 'quarantineReason'
  | 'changes'
> & {
  /** Null if the nodes were not hashed after that block. */
  root: Hash | null;
};

/** Identifies an element. */
export type ElementKey = Pick<IndexedElement, 'index' | 'value'>;

/** The number of last changes of a tree that can be reverted. */
export const UNDO_DEPTH = 64;

/** @param isHashed whether the root of the head includes all its leaves */
export function stateOf(head: TreeHead, isHashed: boolean): TreeState {
  const { seq, nextIndex, queueEnd, inputQueueStart, inputQueueEnd, migratedSlot } = head;
  const { seen, quarantineReason, changes, root } = head;
  const positions = { seq, nextIndex, queueEnd, inputQueueStart, inputQueueEnd, migratedSlot, seen: { ...seen } };
  return { ...positions, quarantineReason, changes, root: isHashed ? root : null };
}

/**
 * Whether a block changed nothing that needs an undo record. The root is not compared, because it follows from the
 * rest.
 */
export function isSameState(a: TreeState, b: TreeState): boolean {
  return (
    a.seq === b.seq &&
    a.nextIndex === b.nextIndex &&
    a.queueEnd === b.queueEnd &&
    a.inputQueueStart === b.inputQueueStart &&
    a.inputQueueEnd === b.inputQueueEnd &&
    a.migratedSlot === b.migratedSlot &&
    a.seen.inputQueueEnd === b.seen.inputQueueEnd &&
    a.seen.seq === b.seen.seq &&
    a.seen.queueEnd === b.seen.queueEnd &&
    a.seen.migratedSlot === b.seen.migratedSlot &&
    a.quarantineReason === b.quarantineReason
  );
}

/** Collects the undo record of a block while the block is applied. */
export class UndoDraft {
  private readonly rewritten = new Map<number, IndexedElement>();
  private readonly appended = new Map<number, ElementKey>();
  private readonly leaves = new Map<number, Hash>();
  private readonly nullified: NullifiedEntry[] = [];

  /**
   * Records an insertion. `low` is the element after the insertion. Before, it pointed to the next element of the new
   * one:
   *
   * ```
   *  before   low ───────────────► next
   *  after    low ──► high ──────► next
   * ```
   */
  recordInsert(low: IndexedElement, { index, value, nextIndex, nextValue }: IndexedElement): void {
    const isRecorded = this.rewritten.has(low.index) || this.appended.has(low.index);
    if (!isRecorded) this.rewritten.set(low.index, { ...low, nextIndex, nextValue });
    this.appended.set(index, { index, value });
  }

  /** Records that a leaf of a state tree is written. @param before its value before the write */
  recordLeaf(leafIndex: number, before: Hash): void {
    if (!this.leaves.has(leafIndex)) this.leaves.set(leafIndex, before);
  }

  /** Records that an account hash leaves the output queue. */
  recordAppended(leafIndex: number, hash: Hash): void {
    this.appended.set(leafIndex, { index: leafIndex, value: hash });
  }

  /** Records that a nullifier leaves the input queue. */
  recordNullified(entry: NullifiedEntry): void {
    this.nullified.push(entry);
  }

  finish({ slot, blockhash }: BlockRef, before: TreeState): UndoRecord {
    return {
      slot,
      blockhash,
      before,
      rewritten: [...this.rewritten.values()],
      appended: [...this.appended.values()],
      leaves: Array.from(this.leaves, ([leafIndex, hash]) => ({ leafIndex, hash })),
      nullified: this.nullified,
    };
  }
}

/**
 * Returns the changes of elements that revert consecutive blocks.
 *
 * @param records oldest first
 */
export function revertRecords(records: readonly UndoRecord[]): {
  rewritten: ReadonlyMap<number, IndexedElement>;
  removed: readonly ElementKey[];
} {
  const rewritten = new Map<number, IndexedElement>();
  const removed: ElementKey[] = [];
  for (const record of [...records].reverse()) {
    for (const element of record.rewritten) rewritten.set(element.index, element);
    for (const element of record.appended) {
      rewritten.delete(element.index);
      removed.push(element);
    }
  }
  return { rewritten, removed };
}

/**
 * Returns the leaves of a state tree that revert consecutive blocks, by leaf index.
 *
 * @param records oldest first
 */
export function revertLeaves(records: readonly UndoRecord[]): Map<number, Hash> {
  const leaves = new Map<number, Hash>();
  for (const record of [...records].reverse()) {
    for (const { leafIndex, hash } of record.leaves) leaves.set(leafIndex, hash);
  }
  return leaves;
}
