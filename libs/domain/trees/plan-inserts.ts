import { type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement, MAX_ADDRESS } from './indexed-element';
import { TreeMismatchError } from './tree-mismatch.error';

/** Finds the stored low element of a value; undefined if there is none. */
export type FindLow = (value: Hash) => IndexedElement | undefined;

/**
 * Inserts addresses into the sorted linked list, one after the other.
 *
 * ```
 *  before   low ───────────────► next
 *  after    low ──► new ───────► next        low.nextIndex = new.index, low.nextValue = new.value
 * ```
 *
 * The low element of an address may be one that the same plan inserted before.
 */
export class InsertPlan {
  /** Inserted and rewritten elements by leaf index. */
  private readonly changed = new Map<number, IndexedElement>();
  /** Inserted elements, ascending by value. */
  private readonly inserted: IndexedElement[] = [];

  constructor(private readonly findStoredLow: FindLow) {}

  /**
   * @returns the rewritten low element and the inserted element
   * @throws TreeMismatchError if the value is already in the tree, is zero, or is not below 2^248-1
   */
  insert(index: number, value: Hash): { low: IndexedElement; high: IndexedElement } {
    if (value.compare(MAX_ADDRESS) >= 0) throw new TreeMismatchError('an address is not below 2^248-1');
    const before = this.findLow(value);
    if (!before) throw new TreeMismatchError('an address has no low element');
    if (before.nextValue.compare(value) <= 0) {
      throw new TreeMismatchError('an address is already in the tree, or its low element points below it');
    }
    const high = { index, value, nextIndex: before.nextIndex, nextValue: before.nextValue };
    const low = { ...before, nextIndex: index, nextValue: value };
    this.changed.set(low.index, low);
    this.changed.set(high.index, high);
    this.inserted.splice(this.positionOf(value), 0, high);
    return { low, high };
  }

  changes(): ReadonlyMap<number, IndexedElement> {
    return this.changed;
  }

  private findLow(value: Hash): IndexedElement | undefined {
    const stored = this.findStoredLow(value);
    const at = this.positionOf(value) - 1;
    const inserted = at >= 0 ? this.inserted[at] : undefined;
    const low = inserted && (!stored || inserted.value.compare(stored.value) > 0) ? inserted : stored;
    return low && (this.changed.get(low.index) ?? low);
  }

  /** The number of inserted elements with a smaller value. */
  private positionOf(value: Hash): number {
    let from = 0;
    let to = this.inserted.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.inserted[middle].value.compare(value) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
