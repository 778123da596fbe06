import { type Hash } from '@fresnel/domain/primitives';
import { type ElementKey, type IndexedElement } from '@fresnel/domain/trees';

/** The elements of a tree, indexed by leaf index and by value. */
export class SortedElements {
  private readonly byIndex = new Map<number, IndexedElement>();
  /** Ascending by value. An insertion moves all larger elements, which takes a millisecond for a million elements. */
  private readonly byValue: IndexedElement[];

  constructor(elements: Iterable<IndexedElement> = []) {
    for (const element of elements) this.byIndex.set(element.index, element);
    this.byValue = [...this.byIndex.values()];
    this.byValue.sort((a, b) => a.value.compare(b.value));
  }

  get size(): number {
    return this.byIndex.size;
  }

  /** Adds an element, or replaces the one with the same leaf index. */
  put(element: IndexedElement): void {
    const before = this.byIndex.get(element.index);
    this.byIndex.set(element.index, element);
    if (before?.value.equals(element.value)) {
      this.byValue[this.countBelow(element.value)] = element;
      return;
    }
    if (before) this.byValue.splice(this.byValue.indexOf(before), 1);
    this.byValue.splice(this.countBelow(element.value), 0, element);
  }

  /** Removes an element if it exists. */
  remove({ index, value }: ElementKey): void {
    if (this.byIndex.get(index)?.value.equals(value)) this.byIndex.delete(index);
    if (this.has(value)) this.byValue.splice(this.countBelow(value), 1);
  }

  has(value: Hash): boolean {
    const at = this.countBelow(value);
    return at < this.byValue.length && this.byValue[at].value.equals(value);
  }

  /** The element with the largest value below the given one. */
  findLow(value: Hash): IndexedElement | undefined {
    const at = this.countBelow(value);
    return at > 0 ? this.byValue[at - 1] : undefined;
  }

  private countBelow(value: Hash): number {
    let from = 0;
    let to = this.byValue.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.byValue[middle].value.compare(value) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
