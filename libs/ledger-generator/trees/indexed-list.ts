import { type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';

/** The two elements that an insertion rewrites: the one below the new value, and the new one. */
export interface Insertion {
  low: IndexedElement;
  high: IndexedElement;
}

/** The elements of an indexed Merkle tree in the order of their values; leaf indices follow the order of insertion. */
export class IndexedList {
  private readonly sorted: IndexedElement[];

  /** @param elements in the order of their values */
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

  /** The element with the largest value below `value`; there is one for every value but 0. */
  lowOf(value: Hash): IndexedElement {
    return this.sorted[this.positionOf(value) - 1];
  }

  has(value: Hash): boolean {
    return this.sorted.at(this.positionOf(value))?.value.equals(value) ?? false;
  }

  /**
   * Puts a value between the element below it, which now points at it, and the one above.
   *
   * ```
   *   low ──────────────► next            low ──► value ──► next
   * ```
   */
  insert(value: Hash): Insertion {
    const position = this.positionOf(value);
    const below = this.sorted[position - 1];
    const index = this.sorted.length;
    const high = { index, value, nextIndex: below.nextIndex, nextValue: below.nextValue };
    const low = { ...below, nextIndex: index, nextValue: value };
    this.sorted.splice(position - 1, 1, low, high);
    return { low, high };
  }

  /** How many elements have a smaller value. */
  private positionOf(value: Hash): number {
    let from = 0;
    let to = this.sorted.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.sorted[middle].value.compare(value) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
