import { type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement, MAX_ADDRESS } from './indexed-element';
import { TreeMismatchError } from './tree-mismatch.error';

/** Finds the stored element with the largest value below the given one; undefined when there is none. */
export type FindLow = (value: Hash) => IndexedElement | undefined;

/**
 * Inserts addresses into the sorted linked list, one after the other.
 *
 * ```
 *  before   low ───────────────► next
 *  after    low ──► new ───────► next        low.nextIndex = new.index, low.nextValue = new.value
 * ```
 *
 * An address may fall behind one inserted earlier by the same call.
 */
export class InsertPlan {
  /** Elements made or changed so far, by leaf index. */
  private readonly touched = new Map<number, IndexedElement>();
  /** Those made here, ascending by value. */
  private readonly made: IndexedElement[] = [];

  constructor(private readonly findStoredLow: FindLow) {}

  /**
   * @returns the two elements that the insert changes
   * @throws TreeMismatchError when the value is in the tree already, is zero, or is not below 2^248-1
   */
  insert(index: number, value: Hash): { low: IndexedElement; high: IndexedElement } {
    if (value.compare(MAX_ADDRESS) >= 0) throw new TreeMismatchError('an address is not below 2^248-1');
    const before = this.findLow(value);
    if (!before) throw new TreeMismatchError('no element below an address');
    if (before.nextValue.compare(value) <= 0) {
      throw new TreeMismatchError('an address is in the tree already, or its low element points below it');
    }
    const high = { index, value, nextIndex: before.nextIndex, nextValue: before.nextValue };
    const low = { ...before, nextIndex: index, nextValue: value };
    this.touched.set(low.index, low);
    this.touched.set(high.index, high);
    this.made.splice(this.positionOf(value), 0, high);
    return { low, high };
  }

  changes(): ReadonlyMap<number, IndexedElement> {
    return this.touched;
  }

  private findLow(value: Hash): IndexedElement | undefined {
    const stored = this.findStoredLow(value);
    const madeAt = this.positionOf(value) - 1;
    const made = madeAt >= 0 ? this.made[madeAt] : undefined;
    const low = made && (!stored || made.value.compare(stored.value) > 0) ? made : stored;
    return low && (this.touched.get(low.index) ?? low);
  }

  /** How many of the made elements have a smaller value. */
  private positionOf(value: Hash): number {
    let from = 0;
    let to = this.made.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.made[middle].value.compare(value) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
