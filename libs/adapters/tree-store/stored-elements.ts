import { HASH_BYTES, type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import { RecordTable } from './record-table';

/** The record of an element: value (32) · next value (32) · next index (5), big endian */
const NEXT_VALUE = HASH_BYTES;
const NEXT_INDEX = 2 * HASH_BYTES;
const INDEX_BYTES = 5;
export const ELEMENT_BYTES = NEXT_INDEX + INDEX_BYTES;

/** 4,096 elements: 280 kB. */
const ELEMENTS_PER_CHUNK = 4_096;

/** The elements of a tree by leaf index. */
export class StoredElements {
  private readonly table = new RecordTable(ELEMENT_BYTES, ELEMENTS_PER_CHUNK);

  get size(): number {
    return this.table.size;
  }

  has(index: number): boolean {
    return this.table.has(index);
  }

  /** @returns a copy, which later changes do not affect; undefined if the element does not exist */
  find(index: number): IndexedElement | undefined {
    const record = this.table.find(index);
    if (!record) return undefined;
    const values = Buffer.from(record.subarray(0, NEXT_INDEX));
    return {
      index,
      value: values.subarray(0, NEXT_VALUE) as Hash,
      nextIndex: record.readUIntBE(NEXT_INDEX, INDEX_BYTES),
      nextValue: values.subarray(NEXT_VALUE) as Hash,
    };
  }

  /** Adds an element, or replaces the one with the same leaf index. */
  put({ index, value, nextIndex, nextValue }: IndexedElement): void {
    const { chunk, at } = this.table.create(index);
    chunk.set(value, at);
    chunk.set(nextValue, at + NEXT_VALUE);
    chunk.writeUIntBE(nextIndex, at + NEXT_INDEX, INDEX_BYTES);
  }

  /** Like `put`, with a record that starts at an offset of `source`. */
  putRecord(index: number, source: Buffer, from: number): void {
    const { chunk, at } = this.table.create(index);
    source.copy(chunk, at, from, from + ELEMENT_BYTES);
  }

  delete(index: number): void {
    this.table.delete(index);
  }

  /** The leaf indexes of all elements, ascending. */
  indexes(): Iterable<number> {
    return this.table.numbers();
  }

  /** The next index of an existing element. */
  nextIndexOf(index: number): number {
    const { chunk, at } = this.table.placeOf(index);
    return chunk.readUIntBE(at + NEXT_INDEX, INDEX_BYTES);
  }

  /** Compares the value of an existing element with another value: negative if it is lower, 0 if it is equal. */
  compareTo(index: number, value: Hash): number {
    const { chunk, at } = this.table.placeOf(index);
    return compareValues(chunk, at, value, 0);
  }

  /** Compares the values of two existing elements. */
  compare(a: number, b: number): number {
    const [placeA, placeB] = [this.table.placeOf(a), this.table.placeOf(b)];
    return compareValues(placeA.chunk, placeA.at, placeB.chunk, placeB.at);
  }
}

/** Addresses differ in their first bytes, where a loop is faster than a call of `Buffer.compare`. */
function compareValues(a: Buffer, fromA: number, b: Buffer, fromB: number): number {
  for (let byte = 0; byte < HASH_BYTES; byte++) {
    const difference = a[fromA + byte] - b[fromB + byte];
    if (difference !== 0) return difference;
  }
  return 0;
}
