import { HASH_BYTES } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import { decodeElement, ELEMENT_BYTES, encodeElement, indexOfElement, nextIndexOfElement } from './tree-records';

/** Elements by leaf index, as records outside the heap. */
export class ElementList {
  private readonly records: Buffer;
  /** 1 for a leaf index whose element was added. */
  private readonly isAdded: Uint8Array;

  /** @param size all leaf indexes are below it */
  constructor(readonly size: number) {
    this.records = Buffer.alloc(size * ELEMENT_BYTES);
    this.isAdded = new Uint8Array(size);
  }

  at(index: number): IndexedElement {
    return decodeElement(this.recordAt(index));
  }

  put(element: IndexedElement): void {
    this.putRecord(encodeElement(element));
  }

  /** @param record an encoded element */
  putRecord(record: Buffer): void {
    const index = indexOfElement(record);
    this.recordAt(index).set(record);
    this.isAdded[index] = 1;
  }

  /** Compares the values of two elements. */
  compare(a: number, b: number): number {
    return this.recordAt(a).compare(this.recordAt(b), 0, HASH_BYTES, 0, HASH_BYTES);
  }

  *[Symbol.iterator](): Iterator<IndexedElement> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  /** All records that were added, ascending by value as far as the linked list goes: in a recording with gaps it may break. */
  *inOrder(): Iterable<Buffer> {
    for (let index = 0; this.isAdded[index] === 1; index = nextIndexOfElement(this.recordAt(index))) {
      this.isAdded[index] = 0;
      yield this.recordAt(index);
    }
    for (let index = 0; index < this.size; index++) if (this.isAdded[index] === 1) yield this.recordAt(index);
  }

  private recordAt(index: number): Buffer {
    return this.records.subarray(index * ELEMENT_BYTES, (index + 1) * ELEMENT_BYTES);
  }
}
