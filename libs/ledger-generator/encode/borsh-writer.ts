import { u64ToLittleEndian } from '@fresnel/domain/primitives';

/** The bytes written as tags. The program accepts more values than clients write. */
export interface TagBytes {
  /** Written for true. The program reads every byte but 0 as true. */
  trueByte: number;
  /** Written as the tag of an absent address. The program reads every byte but 1 as absent. */
  absentAddressTag: number;
}

const CANONICAL: TagBytes = { trueByte: 1, absentAddressTag: 0 };

/** Writes Borsh structures front to back: numbers little endian, vectors with a u32 count, options with a tag byte. */
export class BorshWriter {
  private readonly parts: Buffer[] = [];

  constructor(private readonly tagBytes = CANONICAL) {}

  /** Bytes without a length prefix. */
  fixed(bytes: Buffer): this {
    this.parts.push(bytes);
    return this;
  }

  u8(value: number): this {
    return this.fixed(Buffer.of(value));
  }

  u16(value: number): this {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16LE(value);
    return this.fixed(bytes);
  }

  u32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.fixed(bytes);
  }

  u64(value: bigint | number): this {
    return this.fixed(u64ToLittleEndian(BigInt(value)));
  }

  bool(value: boolean): this {
    return this.u8(value ? this.tagBytes.trueByte : 0);
  }

  option<T>(value: T | null, write: (value: T) => void): this {
    this.u8(value === null ? 0 : 1);
    if (value !== null) write(value);
    return this;
  }

  /** The address option of a compressed account. */
  address(address: Buffer | null): this {
    return address ? this.u8(1).fixed(address) : this.u8(this.tagBytes.absentAddressTag);
  }

  byteVector(bytes: Buffer): this {
    return this.u32(bytes.length).fixed(bytes);
  }

  vector<T>(items: readonly T[], write: (item: T) => void): this {
    this.u32(items.length);
    items.forEach(write);
    return this;
  }

  /** A vector with a u8 count, as in `InsertIntoQueues`. */
  shortVector<T>(items: readonly T[], write: (item: T) => void): this {
    this.u8(items.length);
    items.forEach(write);
    return this;
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.parts);
  }
}
