import { type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';

/** The two elements that an insertion writes: the low element, and the new one. */
export interface Insertion {
  low: IndexedElement;
  high: IndexedElement;
}

/** The elements of an indexed Merkle tree, sorted by value. Leaf indices follow the order of insertion. */
export class IndexedList {
  private readonly sorted: IndexedElement[];

  /** @param elements sorted by value */
  constructor(elements: readonly IndexedElement[]) {
    this.sorted = [...elements];
  }

  copy(): IndexedList {
    return new IndexedList(this.sorted);
  }

  get length(): number {
    return this.sorted.length;
  }

  values(): Hash[] {
    return this.sorted.map(({ value }) => value);
  }

  /** The element with the largest value below `value`; every value but 0 has one. */
  lowElementOf(value: Hash): IndexedElement {
    return this.sorted[this.positionOf(value) - 1];
  }

  has(value: Hash): boolean {
    return this.sorted.at(this.positionOf(value))?.value.equals(value) ?? false;
  }

  /**
   * Inserts a value between its low element, which then points to it, and the next element.
   *
   * ```
   *   low ──────────────► next            low ──► value ──► next
   * ```
   */
  insert(value: Hash): Insertion {
    const position = this.positionOf(value);
    const previous = this.sorted[position - 1];
    const index = this.sorted.length;
    const high = { index, value, nextIndex: previous.nextIndex, nextValue: previous.nextValue };
    const low = { ...previous, nextIndex: index, nextValue: value };
    this.sorted.splice(position - 1, 1, low, high);
    return { low, high };
  }

  /** Number of elements with a smaller value. */
  private positionOf(value: Hash): number {
    let start = 0;
    let end = this.sorted.length;
    while (start < end) {
      const middle = (start + end) >>> 1;
      if (this.sorted[middle].value.compare(value) < 0) start = middle + 1;
      else end = middle;
    }
    return start;
  }
}
