import { type Hash, HASH_BYTES, MalformedBytesError, toHash, toSlot } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import { type NewAddressProof, type NewAddressProofs } from './prover-client';

/**
 * The record of an address and its low element, integers big endian:
 *
 * ```
 *  address 32 │ lower range address 32 │ higher range address 32 │ low element leaf index 8 │ next index 8
 * ```
 */
const LOWER = HASH_BYTES;
const HIGHER = 2 * HASH_BYTES;
const LOW_INDEX = 3 * HASH_BYTES;
const NEXT_INDEX = LOW_INDEX + 8;
export const ELEMENT_RECORD_BYTES = NEXT_INDEX + 8;

/** The block of an answer, as it is written. */
export function writeBlock({ slot, blockhash }: { slot: number; blockhash: Hash | null }) {
  return { slot: BigInt(slot), blockhash: blockhash ?? undefined };
}

/** @throws MalformedTextError */
export function readBlock({ slot, blockhash }: { slot: bigint; blockhash?: Uint8Array }) {
  return { slot: toSlot(Number(slot)), blockhash: blockhash ? toHash(Buffer.from(blockhash)) : null };
}

/** The same memory: that of a response is large, and is not copied. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Writes records, one after another. @param lows the low element of each address */
export function packElements(addresses: readonly Hash[], lows: readonly IndexedElement[]): Buffer {
  const records = Buffer.allocUnsafe(addresses.length * ELEMENT_RECORD_BYTES);
  for (const [at, address] of addresses.entries()) {
    const start = at * ELEMENT_RECORD_BYTES;
    records.set(address, start);
    records.set(lows[at].value, start + LOWER);
    records.set(lows[at].nextValue, start + HIGHER);
    writeInteger(records, start + LOW_INDEX, lows[at].index);
    writeInteger(records, start + NEXT_INDEX, lows[at].nextIndex);
  }
  return records;
}

/** The leaf index of each low element. @throws MalformedBytesError if the bytes are not records */
export function lowElementIndices(elements: Buffer): number[] {
  if (elements.length % ELEMENT_RECORD_BYTES !== 0)
    throw new MalformedBytesError(`${elements.length} bytes are not elements`);
  return Array.from({ length: elements.length / ELEMENT_RECORD_BYTES }, (_, at) =>
    readInteger(elements, at * ELEMENT_RECORD_BYTES + LOW_INDEX),
  );
}

/** The proofs in the order of the request. They share the memory of the answer. */
export function unpackProofs({ elements, paths }: Pick<NewAddressProofs, 'elements' | 'paths'>): NewAddressProof[] {
  return unpackElements(elements).map((element, at) => ({ ...element, siblings: paths.siblings(at) }));
}

/** What `packElements` has written. */
export function unpackElements(elements: Buffer): Omit<NewAddressProof, 'siblings'>[] {
  return lowElementIndices(elements).map((lowElementLeafIndex, at) => {
    const record = elements.subarray(at * ELEMENT_RECORD_BYTES, (at + 1) * ELEMENT_RECORD_BYTES);
    const hashAt = (start: number) => toHash(record.subarray(start, start + HASH_BYTES));
    return {
      address: hashAt(0),
      lowerRangeAddress: hashAt(LOWER),
      higherRangeAddress: hashAt(HIGHER),
      lowElementLeafIndex,
      nextIndex: readInteger(record, NEXT_INDEX),
    };
  });
}

/** Two halves, because a `bigint` for each would cost more. */
function writeInteger(records: Buffer, at: number, value: number): void {
  records.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  records.writeUInt32BE(value % 2 ** 32, at + 4);
}

function readInteger(records: Buffer, at: number): number {
  return records.readUInt32BE(at) * 2 ** 32 + records.readUInt32BE(at + 4);
}

/** Hashes that are stored one after another, one by one. @throws MalformedBytesError if the bytes are not hashes */
export function splitHashes(bytes: Buffer): Hash[] {
  if (bytes.length % HASH_BYTES !== 0) throw new MalformedBytesError(`${bytes.length} bytes are not hashes`);
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    toHash(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );
}
