import { type Hash, HASH_BYTES } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import { decodeElement, ELEMENT_BYTES } from './tree-records';

/** A full chunk is split into two. An insertion moves half a chunk: 10 kB. */
const MAX_CHUNK = 256;
/** By so many records a chunk grows. */
const GROWTH = 16;

/** A part of the order: the first `count` records of `records`. */
interface Chunk {
  records: Buffer;
  count: number;
}

/** A position between two records: after `at` records of a chunk. */
interface Place {
  chunk: number;
  at: number;
}

/**
 * The elements of a tree as records, ascending by value. A value occurs once.
 *
 * ```
 *  chunks   [ 10… 20… 25… ]  [ 31… 40… ]  [ 52… 60… 61… 70… ]     a record starts with its value
 * ```
 *
 * The records are outside the heap, so that their number neither exhausts it nor slows the garbage collector.
 */
export class SortedElements {
  /** A chunk is empty only if it is the only one. */
  private readonly chunks: Chunk[] = [{ records: Buffer.alloc(0), count: 0 }];

  /** Adds an element, or replaces the one with the same value. @param record an encoded element */
  put(record: Buffer): void {
    const { chunk, at } = this.placeOf(record);
    const found = this.chunks[chunk];
    if (!startsWith(found, at, record)) this.insert(found, at);
    record.copy(found.records, at * ELEMENT_BYTES);
    if (found.count === MAX_CHUNK) this.split(chunk);
  }

  /** Removes the element with a value if there is one. */
  remove(value: Hash): void {
    const { chunk, at } = this.placeOf(value);
    const found = this.chunks[chunk];
    if (!startsWith(found, at, value)) return;
    found.records.copyWithin(at * ELEMENT_BYTES, (at + 1) * ELEMENT_BYTES, found.count * ELEMENT_BYTES);
    found.count--;
    if (found.count === 0 && this.chunks.length > 1) this.chunks.splice(chunk, 1);
  }

  /** Whether there is an element with this value. */
  has(value: Hash): boolean {
    const { chunk, at } = this.placeOf(value);
    return startsWith(this.chunks[chunk], at, value);
  }

  /** The element with the largest value below the given one, as a copy. */
  findLow(value: Hash): IndexedElement | undefined {
    const { chunk, at } = this.placeOf(value);
    const { records, count } = at > 0 || chunk === 0 ? this.chunks[chunk] : this.chunks[chunk - 1];
    const low = at > 0 || chunk === 0 ? at - 1 : count - 1;
    if (low < 0) return undefined;
    return decodeElement(Buffer.from(records.subarray(low * ELEMENT_BYTES, (low + 1) * ELEMENT_BYTES)));
  }

  /** The place before the first record that is not below the value, in the chunk that has the value or would have it. */
  private placeOf(value: Buffer): Place {
    const last = this.chunks[this.chunks.length - 1];
    const isLast = last.count > 0 && compareValues(last.records, (last.count - 1) * ELEMENT_BYTES, value) < 0;
    // A tree is loaded in this order.
    if (isLast) return { chunk: this.chunks.length - 1, at: last.count };
    const startsAtMost = ({ records, count }: Chunk) => count > 0 && compareValues(records, 0, value) <= 0;
    const chunk = Math.max(0, countWhile(this.chunks.length, (at) => startsAtMost(this.chunks[at])) - 1);
    const { records, count } = this.chunks[chunk];
    return { chunk, at: countWhile(count, (at) => compareValues(records, at * ELEMENT_BYTES, value) < 0) };
  }

  /** Makes room for a record. */
  private insert(chunk: Chunk, at: number): void {
    const end = chunk.count * ELEMENT_BYTES;
    if (end === chunk.records.length) chunk.records = resized(chunk.records, chunk.count + GROWTH);
    chunk.records.copyWithin((at + 1) * ELEMENT_BYTES, at * ELEMENT_BYTES, end);
    chunk.count++;
  }

  private split(at: number): void {
    const { records } = this.chunks[at];
    const count = MAX_CHUNK / 2;
    const lower = { records: resized(records.subarray(0, count * ELEMENT_BYTES), count + GROWTH), count };
    const upper = { records: resized(records.subarray(count * ELEMENT_BYTES), count + GROWTH), count };
    this.chunks.splice(at, 1, lower, upper);
  }
}

function startsWith({ records, count }: Chunk, at: number, value: Buffer): boolean {
  return at < count && compareValues(records, at * ELEMENT_BYTES, value) === 0;
}

/** Addresses differ in their first bytes, where a loop is faster than a call of `Buffer.compare`. */
function compareValues(records: Buffer, from: number, value: Buffer): number {
  for (let byte = 0; byte < HASH_BYTES; byte++) {
    const difference = records[from + byte] - value[byte];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Copies records into a buffer of their own, with room for `count`. */
function resized(records: Buffer, count: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(count * ELEMENT_BYTES);
  copy.set(records);
  return copy;
}

/** The number of positions from 0 on for which the condition holds; it holds for none after them. */
function countWhile(length: number, condition: (at: number) => boolean): number {
  let from = 0;
  let to = length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (condition(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
