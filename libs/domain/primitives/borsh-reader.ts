import { HASH_BYTES, type Hash, type Pubkey } from './brands';
import { MalformedBytesError } from './errors';

/**
 * Reads Borsh data sequentially: little-endian numbers, vectors with a u32 count, options with a tag byte.
 *
 * Returned slices share memory with the input. Reading past the end throws MalformedBytesError.
 */
export class BorshReader {
  constructor(
    private readonly bytes: Buffer,
    private offset = 0,
  ) {}

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  skip(length: number): this {
    this.take(length);
    return this;
  }

  fixed(length: number): Buffer {
    const at = this.take(length);
    return this.bytes.subarray(at, at + length);
  }

  rest(): Buffer {
    return this.fixed(this.remaining);
  }

  u8(): number {
    return this.bytes[this.take(1)];
  }

  u16(): number {
    return this.bytes.readUInt16LE(this.take(2));
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.take(4));
  }

  u64(): bigint {
    return this.bytes.readBigUInt64LE(this.take(8));
  }

  /** Every byte except 0 is true, like on the chain. */
  bool(): boolean {
    return this.u8() !== 0;
  }

  hash(): Hash {
    return this.fixed(HASH_BYTES) as Hash;
  }

  pubkey(): Pubkey {
    return this.fixed(HASH_BYTES) as Pubkey;
  }

  /** @throws MalformedBytesError for a tag other than 0 and 1 */
  option<T>(read: () => T): T | null {
    const tag = this.u8();
    if (tag > 1) throw new MalformedBytesError(`option tag ${tag}`);
    return tag === 1 ? read() : null;
  }

  /** An option whose tag the chain compares only with 1. Any other tag means absent. */
  lenientOption<T>(read: () => T): T | null {
    return this.u8() === 1 ? read() : null;
  }

  byteVector(): Buffer {
    return this.fixed(this.u32());
  }

  /**
   * @param minItemBytes minimum size of an item; a count that cannot fit is rejected before memory is allocated
   */
  vector<T>(minItemBytes: number, read: () => T): T[] {
    return this.items(this.u32(), minItemBytes, read);
  }

  /** A vector whose count is one byte, as in `InsertIntoQueues`. */
  shortVector<T>(minItemBytes: number, read: () => T): T[] {
    return this.items(this.u8(), minItemBytes, read);
  }

  private items<T>(count: number, minItemBytes: number, read: () => T): T[] {
    if (count * minItemBytes > this.remaining) {
      throw new MalformedBytesError(`${count} items do not fit in ${this.remaining} bytes`);
    }
    return Array.from({ length: count }, read);
  }

  private take(length: number): number {
    const at = this.offset;
    if (length > this.remaining) {
      throw new MalformedBytesError(`${length} bytes wanted at offset ${at}, ${this.remaining} left`);
    }
    this.offset = at + length;
    return at;
  }
}
