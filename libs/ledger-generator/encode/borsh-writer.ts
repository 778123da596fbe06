import { u64ToLittleEndian } from '@fresnel/domain/primitives';

/** Bytes that a strict reader refuses and the chain accepts. */
export interface Leniency {
  /** Written for true. The chain asks whether it is 0. */
  trueByte: number;
  /** Written as the tag of an account without address. The chain asks whether it is 1. */
  absentAddressTag: number;
}

const STRICT: Leniency = { trueByte: 1, absentAddressTag: 0 };

/** Writes Borsh structures front to back: numbers little endian, vectors with a u32 count, options with a tag byte. */
export class BorshWriter {
  private readonly parts: Buffer[] = [];

  constructor(private readonly leniency = STRICT) {}

  /** Bytes without a length before them. */
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
    return this.u8(value ? this.leniency.trueByte : 0);
  }

  option<T>(value: T | null, write: (value: T) => void): this {
    this.u8(value === null ? 0 : 1);
    if (value !== null) write(value);
    return this;
  }

  /** The option inside a compressed account, whose tag the chain reads leniently. */
  address(address: Buffer | null): this {
    return address ? this.u8(1).fixed(address) : this.u8(this.leniency.absentAddressTag);
  }

  byteVector(bytes: Buffer): this {
    return this.u32(bytes.length).fixed(bytes);
  }

  vector<T>(items: readonly T[], write: (item: T) => void): this {
    this.u32(items.length);
    items.forEach(write);
    return this;
  }

  /** A vector whose count is one byte, as in `InsertIntoQueues`. */
  shortVector<T>(items: readonly T[], write: (item: T) => void): this {
    this.u8(items.length);
    items.forEach(write);
    return this;
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.parts);
  }
}
