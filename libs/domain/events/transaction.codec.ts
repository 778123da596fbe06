import { MalformedBytesError, type Pubkey, readCompactU16, type Signature } from '@fresnel/domain/primitives';

export type TransactionVersion = 'legacy' | 0 | 1;

/** A decoded transaction, without the keys from lookup tables. */
export interface DecodedTransaction {
  version: TransactionVersion;
  /** The first signature, which is the id of the transaction. */
  signature: Signature;
  staticKeys: Pubkey[];
  instructions: WireInstruction[];
  /** Number of the keys that the transaction takes from lookup tables. The meta contains them. */
  lookedUpKeys: number;
}

export interface WireInstruction {
  programIndex: number;
  /** Indices into the transaction's accounts. */
  accountIndices: Buffer;
  data: Buffer;
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const BLOCKHASH_BYTES = 32;
const VERSION_FLAG = 0x80;
const VERSION_1 = 0x81;

/**
 * Decodes a transaction of any version. Hand-written for speed: it runs for every transaction of every block.
 *
 * @throws MalformedBytesError for truncated bytes, and for versions above 1
 */
export function decodeTransaction(wire: Buffer): DecodedTransaction {
  const input = new TransactionCursor(wire);
  return wire[0] === VERSION_1 ? decodeVersion1(input) : decodeVersion0(input);
}

/**
 * ```
 * signatures   compact-u16 n, n x 64
 * version      1 byte with the high bit set; absent in legacy transactions
 * header       3 bytes
 * keys         compact-u16 n, n x 32
 * blockhash    32
 * instructions compact-u16 n, each: program u8, accounts compact-u16 + bytes, data compact-u16 + bytes
 * lookups      (version 0) compact-u16 n, each: table 32, writable and read-only indices, both compact-u16 + bytes
 * ```
 */
function decodeVersion0(input: TransactionCursor): DecodedTransaction {
  const signatureCount = input.compactU16();
  if (signatureCount === 0) throw new MalformedBytesError('a transaction without signatures');
  const signature = input.bytes(SIGNATURE_BYTES) as Signature;
  input.bytes(SIGNATURE_BYTES * (signatureCount - 1));
  const version = readVersion(input);
  input.bytes(3);
  const staticKeys = input.keys(input.compactU16());
  input.bytes(BLOCKHASH_BYTES);
  const instructions: WireInstruction[] = [];
  for (let remaining = input.compactU16(); remaining > 0; remaining--) {
    const programIndex = input.u8();
    const accountIndices = input.bytes(input.compactU16());
    instructions.push({ programIndex, accountIndices, data: input.bytes(input.compactU16()) });
  }
  const lookedUpKeys = version === 0 ? countLookedUpKeys(input) : 0;
  return { version, signature, staticKeys, instructions, lookedUpKeys };
}

function countLookedUpKeys(input: TransactionCursor): number {
  let count = 0;
  for (let remaining = input.compactU16(); remaining > 0; remaining--) {
    input.bytes(KEY_BYTES);
    count += input.bytes(input.compactU16()).length;
    count += input.bytes(input.compactU16()).length;
  }
  return count;
}

function readVersion(input: TransactionCursor): TransactionVersion {
  if ((input.peek() & VERSION_FLAG) === 0) return 'legacy';
  const version = input.u8() & ~VERSION_FLAG;
  if (version !== 0) throw new MalformedBytesError(`transaction version ${version}`);
  return version;
}

/**
 * ```
 * version 0x81 | header 3 | config mask u32 | blockhash 32 | instruction count u8 | key count u8 | keys
 * config values: 4 bytes a set bit of the mask
 * instruction headers: program u8, account count u8, data length u16
 * instruction payloads: account indices, data
 * signatures: 64 bytes each; their number is the first byte of the header
 * ```
 */
function decodeVersion1(input: TransactionCursor): DecodedTransaction {
  input.bytes(1);
  const signatureCount = input.u8();
  if (signatureCount === 0) throw new MalformedBytesError('a transaction without signatures');
  input.bytes(2);
  const configMask = input.u32();
  input.bytes(BLOCKHASH_BYTES);
  const instructionCount = input.u8();
  const staticKeys = input.keys(input.u8());
  input.bytes(4 * countBits(configMask));
  const headers = Array.from({ length: instructionCount }, () => ({
    programIndex: input.u8(),
    accountCount: input.u8(),
    dataLength: input.u16(),
  }));
  const instructions = headers.map(({ programIndex, accountCount, dataLength }) => ({
    programIndex,
    accountIndices: input.bytes(accountCount),
    data: input.bytes(dataLength),
  }));
  const signature = input.bytes(SIGNATURE_BYTES) as Signature;
  return { version: 1, signature, staticKeys, instructions, lookedUpKeys: 0 };
}

function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count++;
  return count;
}

class TransactionCursor {
  private offset = 0;

  constructor(private readonly wire: Buffer) {}

  peek(): number {
    if (this.offset >= this.wire.length) throw new MalformedBytesError('a transaction is truncated');
    return this.wire[this.offset];
  }

  u8(): number {
    const value = this.peek();
    this.offset++;
    return value;
  }

  u16(): number {
    return this.bytes(2).readUInt16LE();
  }

  u32(): number {
    return this.bytes(4).readUInt32LE();
  }

  compactU16(): number {
    const { value, next } = readCompactU16(this.wire, this.offset);
    this.offset = next;
    return value;
  }

  keys(count: number): Pubkey[] {
    if (count * KEY_BYTES > this.wire.length) throw new MalformedBytesError(`${count} keys do not fit`);
    return Array.from({ length: count }, () => this.bytes(KEY_BYTES) as Pubkey);
  }

  bytes(length: number): Buffer {
    const end = this.offset + length;
    if (end > this.wire.length) throw new MalformedBytesError('a transaction is truncated');
    const bytes = this.wire.subarray(this.offset, end);
    this.offset = end;
    return bytes;
  }
}
