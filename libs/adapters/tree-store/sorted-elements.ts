import { type Hash } from '@fresnel/domain/primitives';
import { type ElementKey, type IndexedElement } from '@fresnel/domain/trees';

/** A chunk with more elements is split into two. */
const MAX_CHUNK = 512;

/** Where an element is, or where it would be inserted. */
interface Place {
  chunk: number;
  at: number;
}

/**
 * The elements of a tree, indexed by leaf index and by value. An insertion moves the elements of one chunk, not those of the
 * whole tree.
 */
export class SortedElements {
  private readonly byIndex = new Map<number, IndexedElement>();
  /** Ascending by value; no chunk is empty. */
  private readonly chunks: IndexedElement[][] = [];

  constructor(elements: Iterable<IndexedElement> = []) {
    for (const element of elements) this.byIndex.set(element.index, element);
    const sorted = [...this.byIndex.values()].sort((a, b) => a.value.compare(b.value));
    for (let from = 0; from < sorted.length; from += MAX_CHUNK / 2) {
      this.chunks.push(sorted.slice(from, from + MAX_CHUNK / 2));
    }
  }

  get size(): number {
    return this.byIndex.size;
  }

  /** Adds an element, or replaces the one with the same leaf index. */
  put(element: IndexedElement): void {
    const before = this.byIndex.get(element.index);
    this.byIndex.set(element.index, element);
    if (before?.value.equals(element.value)) {
      const { chunk, at } = this.find(element.value);
      this.chunks[chunk][at] = element;
      return;
    }
    if (before) this.removeAt(this.find(before.value), before);
    this.insert(element);
  }

  /** Removes an element if it exists. */
  remove({ index, value }: ElementKey): void {
    if (this.byIndex.get(index)?.value.equals(value)) this.byIndex.delete(index);
    if (this.has(value)) this.removeAt(this.find(value));
  }

  has(value: Hash): boolean {
    const { chunk, at } = this.find(value);
    return this.chunks[chunk]?.at(at)?.value.equals(value) ?? false;
  }

  /** The element with the largest value below the given one. */
  findLow(value: Hash): IndexedElement | undefined {
    const { chunk, at } = this.find(value);
    return at > 0 ? this.chunks[chunk][at - 1] : this.chunks[chunk - 1]?.at(-1);
  }

  /** The place of the first element in its chunk that is not below the value; its chunk is the last that starts at or below it. */
  private find(value: Hash): Place {
    const chunk = Math.max(0, countWhile(this.chunks, ([first]) => first.value.compare(value) <= 0) - 1);
    const at = chunk < this.chunks.length ? countWhile(this.chunks[chunk], (one) => one.value.compare(value) < 0) : 0;
    return { chunk, at };
  }

  private insert(element: IndexedElement): void {
    if (this.chunks.length === 0) this.chunks.push([]);
    const { chunk, at } = this.chunks[0].length === 0 ? { chunk: 0, at: 0 } : this.find(element.value);
    const elements = this.chunks[chunk];
    elements.splice(at, 0, element);
    if (elements.length > MAX_CHUNK) this.chunks.splice(chunk + 1, 0, elements.splice(MAX_CHUNK / 2));
  }

  /** @param expected nothing is removed if another element has taken its place */
  private removeAt({ chunk, at }: Place, expected?: IndexedElement): void {
    const elements = this.chunks[chunk];
    if (expected && elements[at] !== expected) return;
    elements.splice(at, 1);
    if (elements.length === 0) this.chunks.splice(chunk, 1);
  }
}

/** The number of items at the start of a list for which the condition holds; it holds for none after them. */
function countWhile<Item>(items: readonly Item[], condition: (item: Item) => boolean): number {
  let from = 0;
  let to = items.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (condition(items[middle])) from = middle + 1;
    else to = middle;
  }
  return from;
}
