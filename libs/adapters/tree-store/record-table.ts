/** First byte of a record that exists. Memory is zero at first. */
const EXISTS = 1;

/** Where a record is: the memory of its chunk, and the offset of its contents. */
export interface RecordPlace {
  chunk: Buffer;
  at: number;
}

/**
 * Records of one size, by number.
 *
 * ```
 *  chunk 0                                chunk 1                     chunk 2: not allocated, it has no record
 *  ┌─┬──────────┬─┬──────────┬─ ─ ─       ┌─┬──────────┬─ ─ ─
 *  │1│ record 0 │0│          │            │1│ record n │
 *  └─┴──────────┴─┴──────────┴─ ─ ─       └─┴──────────┴─ ─ ─
 * ```
 *
 * Chunks are outside the heap, so the number of records neither exhausts it nor slows the garbage collector.
 */
export class RecordTable {
  /** By chunk number, which is an array index: below 2^32 - 1. */
  private readonly chunks: (Buffer | undefined)[] = [];
  private readonly stride: number;
  private count = 0;

  constructor(
    private readonly recordBytes: number,
    private readonly recordsPerChunk: number,
  ) {
    this.stride = recordBytes + 1;
  }

  /** The number of records. */
  get size(): number {
    return this.count;
  }

  has(number: number): boolean {
    const chunk = this.chunks[this.chunkOf(number)];
    return chunk !== undefined && chunk[this.offsetOf(number)] === EXISTS;
  }

  /** The contents of a record; undefined if it does not exist. Later changes of the record change these bytes. */
  find(number: number): Buffer | undefined {
    if (!this.has(number)) return undefined;
    const { chunk, at } = this.placeOf(number);
    return chunk.subarray(at, at + this.recordBytes);
  }

  /** Where the contents of an existing record are. Faster than `find`, because it creates no buffer. */
  placeOf(number: number): RecordPlace {
    const chunk = this.chunks[this.chunkOf(number)];
    if (!chunk) throw new RangeError(`record ${number} does not exist`);
    return { chunk, at: this.offsetOf(number) + 1 };
  }

  /** Creates a record if it does not exist, and returns where to write its contents. */
  create(number: number): RecordPlace {
    const chunk = (this.chunks[this.chunkOf(number)] ??= Buffer.alloc(this.recordsPerChunk * this.stride));
    const offset = this.offsetOf(number);
    if (chunk[offset] !== EXISTS) this.count++;
    chunk[offset] = EXISTS;
    return { chunk, at: offset + 1 };
  }

  /** Deletes a record if it exists. */
  delete(number: number): void {
    if (!this.has(number)) return;
    const { chunk, at } = this.placeOf(number);
    chunk[at - 1] = 0;
    this.count--;
  }

  /** The numbers of all records, ascending. */
  *numbers(): Iterable<number> {
    for (const key of Object.keys(this.chunks)) {
      const first = Number(key) * this.recordsPerChunk;
      for (let number = first; number < first + this.recordsPerChunk; number++) if (this.has(number)) yield number;
    }
  }

  private chunkOf(number: number): number {
    return Math.floor(number / this.recordsPerChunk);
  }

  private offsetOf(number: number): number {
    return (number % this.recordsPerChunk) * this.stride;
  }
}
