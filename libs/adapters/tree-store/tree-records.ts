import { HASH_BYTES, type Hash, toHash } from '@fresnel/domain/primitives';
import { type IndexedElement, PAGE_BYTES, type PageId, type QueuedNullifier } from '@fresnel/domain/trees';

/*
 * The records of a tree as bytes. Redis and memory store them so, and Postgres concatenates its rows to them.
 */

/** Size of positions and page ids: big-endian, so that bytes sort like the numbers. */
export const NUMBER_BYTES = 8;
/** value (32) · leaf index (8) · next index (8) · next value (32) */
export const ELEMENT_BYTES = 2 * HASH_BYTES + 2 * NUMBER_BYTES;

export function sortableBytes(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** Encodes a member of the sorted set of elements. It starts with the value, by which elements are found. */
export function encodeElement({ value, index, nextIndex, nextValue }: IndexedElement): Buffer {
  return Buffer.concat([value, sortableBytes(index), sortableBytes(nextIndex), nextValue]);
}

export function decodeElement(member: Buffer): IndexedElement {
  return {
    value: toHash(member.subarray(0, HASH_BYTES)),
    index: indexOfElement(member),
    nextIndex: nextIndexOfElement(member),
    nextValue: toHash(member.subarray(HASH_BYTES + 2 * NUMBER_BYTES)),
  };
}

/** The leaf index of an encoded element. */
export function indexOfElement(record: Buffer): number {
  return Number(record.readBigUInt64BE(HASH_BYTES));
}

/** The next index of an encoded element. */
export function nextIndexOfElement(record: Buffer): number {
  return Number(record.readBigUInt64BE(HASH_BYTES + NUMBER_BYTES));
}

/** id (8) · nodes (960) */
export const PAGE_RECORD_BYTES = NUMBER_BYTES + PAGE_BYTES;

export function encodePages(pages: ReadonlyMap<PageId, Buffer>): Buffer {
  return Buffer.concat([...pages].flatMap(([id, page]) => [sortableBytes(id), page]));
}

/** Encodes queued addresses or leaves by position. */
export function encodeQueued(queued: ReadonlyMap<bigint, Hash>): Buffer {
  return Buffer.concat([...queued].flatMap(([position, address]) => [sortableBytes(position), address]));
}

/** queue position (8) · leaf index (8) · account hash (32) · transaction hash (32) · nullifier (32) */
export const NULLIFIER_BYTES = 2 * NUMBER_BYTES + 3 * HASH_BYTES;

/** Encodes entries of an input queue by position. */
export function encodeNullifiers(nullifiers: ReadonlyMap<bigint, QueuedNullifier>): Buffer {
  return Buffer.concat(
    [...nullifiers].flatMap(([position, { leafIndex, hash, txHash, nullifier }]) => [
      sortableBytes(position),
      sortableBytes(leafIndex),
      hash,
      txHash,
      nullifier,
    ]),
  );
}

/** Decodes an entry of an input queue. */
export function decodeNullifier(member: Buffer): [bigint, QueuedNullifier] {
  const hashAt = (place: number) => {
    const from = 2 * NUMBER_BYTES + place * HASH_BYTES;
    return toHash(member.subarray(from, from + HASH_BYTES));
  };
  const leafIndex = Number(member.readBigUInt64BE(NUMBER_BYTES));
  const [hash, txHash, nullifier] = [0, 1, 2].map(hashAt);
  return [member.readBigUInt64BE(), { leafIndex, hash, txHash, nullifier }];
}
