import { type BlockRef } from '@fresnel/domain/chain';
import { type Hash } from '@fresnel/domain/primitives';
import { type AddressTreeHead } from './address-tree';
import { type IndexedElement } from './indexed-element';

/** What it takes to bring a tree back to before one block. */
export interface UndoRecord extends BlockRef {
  before: TreeState;
  /** Elements that the block rewrote, as they were. */
  rewritten: readonly IndexedElement[];
  /** Elements that the block appended. */
  appended: readonly ElementKey[];
}

/** The part of a head that blocks change. */
export type TreeState = Pick<
  AddressTreeHead,
  'seq' | 'nextIndex' | 'queueEnd' | 'seen' | 'quarantineReason' | 'changes'
> & {
  /** Null where nodes were not hashed at that moment. */
  root: Hash | null;
};

/** What an element is found by. */
export type ElementKey = Pick<IndexedElement, 'index' | 'value'>;

/** Changes of a tree can be taken back for as many of the last blocks that changed it. */
export const UNDO_DEPTH = 64;

/** @param isHashed whether the head's root is that of all its leaves */
export function stateOf(head: AddressTreeHead, isHashed: boolean): TreeState {
  const { seq, nextIndex, queueEnd, seen, quarantineReason, changes, root } = head;
  return { seq, nextIndex, queueEnd, seen: { ...seen }, quarantineReason, changes, root: isHashed ? root : null };
}

/** Whether anything differs that makes a block worth a record. The root follows from the rest. */
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

/** Gathers what one block does to the elements of a tree. */
export class UndoDraft {
  private readonly rewritten = new Map<number, IndexedElement>();
  private readonly appended = new Map<number, ElementKey>();

  /**
   * Notes an insert. The low element is given as it is now; before, it pointed where the new one points:
   *
   * ```
   *  before   low ───────────────► next
   *  after    low ──► high ──────► next
   * ```
   */
  recordInsert(low: IndexedElement, { index, value, nextIndex, nextValue }: IndexedElement): void {
    const isNoted = this.rewritten.has(low.index) || this.appended.has(low.index);
    if (!isNoted) this.rewritten.set(low.index, { ...low, nextIndex, nextValue });
    this.appended.set(index, { index, value });
  }

  finish({ slot, blockhash }: BlockRef, before: TreeState): UndoRecord {
    return { slot, blockhash, before, rewritten: [...this.rewritten.values()], appended: [...this.appended.values()] };
  }
}

/**
 * What elements are after the changes of some blocks in a row are taken back.
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
