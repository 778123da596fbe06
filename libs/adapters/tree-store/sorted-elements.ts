import { type Hash } from '@fresnel/domain/primitives';
import { type ElementKey, type IndexedElement } from '@fresnel/domain/trees';
import { LeafOrder } from './leaf-order';
import { sortLeaves } from './sort-leaves';
import { StoredElements } from './stored-elements';

/** Leaf indexes are stored in 32 bits. A tree with more leaves does not fit in memory. */
const MAX_LEAVES = 2 ** 32;

/** The elements of a tree, indexed by leaf index and by value. */
export class SortedElements {
  private readonly order: LeafOrder;

  constructor(private readonly stored = new StoredElements()) {
    this.order = new LeafOrder(sortLeaves(stored), (leaf, value) => stored.compareTo(leaf, value));
  }

  get size(): number {
    return this.stored.size;
  }

  /** Adds an element, or replaces the one with the same leaf index. */
  put(element: IndexedElement): void {
    const { index, value } = element;
    if (index >= MAX_LEAVES) throw new RangeError(`leaf index ${index} does not fit in 32 bits`);
    const before = this.stored.has(index);
    const isMoved = before && this.stored.compareTo(index, value) !== 0;
    if (isMoved) this.removeFromOrder(index);
    this.stored.put(element);
    if (!before || isMoved) this.order.insert(index, value);
  }

  /** Removes an element if it exists with this value. */
  remove({ index, value }: ElementKey): void {
    if (!this.stored.has(index) || this.stored.compareTo(index, value) !== 0) return;
    this.order.remove(index, value);
    this.stored.delete(index);
  }

  has(value: Hash): boolean {
    return this.order.has(value);
  }

  /** The element with the largest value below the given one. */
  findLow(value: Hash): IndexedElement | undefined {
    const leaf = this.order.findBelow(value);
    return leaf === undefined ? undefined : this.stored.find(leaf);
  }

  private removeFromOrder(index: number): void {
    const element = this.stored.find(index);
    if (element) this.order.remove(index, element.value);
  }
}
