import { type BlockRef } from '@fresnel/domain/chain';
import { type Hash } from '@fresnel/domain/primitives';
import { type AddressTreeHead } from './address-tree';
import { type IndexedElement } from './indexed-element';

/** The before-image of one block's change of one tree. */
export interface UndoRecord extends BlockRef {
  before: TreeState;
  /** The elements that the block rewrote, with their values before the block. */
  rewritten: readonly IndexedElement[];
  /** The elements that the block appended. */
  appended: readonly ElementKey[];
}

/** The part of a head that blocks change. */
export type TreeState = Pick<
  AddressTreeHead,
  'seq' | 'nextIndex' | 'queueEnd' | 'seen' | 'quarantineReason' | 'changes'
> & {
  /** Null if the nodes were not hashed after that block. */
  root: Hash | null;
};

/** Identifies an element. */
export type ElementKey = Pick<IndexedElement, 'index' | 'value'>;

/** The number of last changes of a tree that can be reverted. */
export const UNDO_DEPTH = 64;

/** @param isHashed whether the root of the head includes all its leaves */
export function stateOf(head: AddressTreeHead, isHashed: boolean): TreeState {
  const { seq, nextIndex, queueEnd, seen, quarantineReason, changes, root } = head;
  return { seq, nextIndex, queueEnd, seen: { ...seen }, quarantineReason, changes, root: isHashed ? root : null };
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
    a.seen.seq === b.seen.seq &&
    a.seen.queueEnd === b.seen.queueEnd &&
    a.quarantineReason === b.quarantineReason
  );
}

/** Collects the undo record of a block while the block is applied. */
export class UndoDraft {
  private readonly rewritten = new Map<number, IndexedElement>();
  private readonly appended = new Map<number, ElementKey>();

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

  finish({ slot, blockhash }: BlockRef, before: TreeState): UndoRecord {
    return { slot, blockhash, before, rewritten: [...this.rewritten.values()], appended: [...this.appended.values()] };
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
