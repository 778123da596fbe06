import { type Hash, HASH_BYTES, MalformedBytesError, toHash } from '@fresnel/domain/primitives';
import { type NewAddressProof, type NewAddressProofs } from './prover-client';

/**
 * The record of a proof, integers big endian:
 *
 * ```
 *  address 32 │ lower range address 32 │ higher range address 32 │ low element leaf index 8 │ next index 8 │ siblings 32 × height
 * ```
 */
const LOWER = HASH_BYTES;
const HIGHER = 2 * HASH_BYTES;
const LOW_INDEX = 3 * HASH_BYTES;
const NEXT_INDEX = LOW_INDEX + 8;
const SIBLINGS = NEXT_INDEX + 8;

/** Bytes of a proof of a tree with so many levels. */
export function proofRecordBytes(height: number): number {
  return SIBLINGS + height * HASH_BYTES;
}

/** Writes proofs as records, one after another. @param height of the tree @throws RangeError for a path of another height */
export function packProofs(height: number, proofs: readonly NewAddressProof[]): Buffer {
  const stride = proofRecordBytes(height);
  const records = Buffer.allocUnsafe(proofs.length * stride);
  for (const [at, proof] of proofs.entries()) {
    if (proof.siblings.length !== height)
      throw new RangeError(`${proof.siblings.length} siblings for ${height} levels`);
    writeProof(records, at * stride, proof);
  }
  return records;
}

/** @param start of a record in memory that has not been set */
function writeProof(records: Buffer, start: number, proof: NewAddressProof): void {
  records.set(proof.address, start);
  records.set(proof.lowerRangeAddress, start + LOWER);
  records.set(proof.higherRangeAddress, start + HIGHER);
  writeInteger(records, start + LOW_INDEX, proof.lowElementLeafIndex);
  writeInteger(records, start + NEXT_INDEX, proof.nextIndex);
  let end = start + SIBLINGS;
  for (const sibling of proof.siblings) {
    records.set(sibling, end);
    end += HASH_BYTES;
  }
}

/** Two halves, because a `bigint` for each would cost more. */
function writeInteger(records: Buffer, at: number, value: number): void {
  records.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  records.writeUInt32BE(value % 2 ** 32, at + 4);
}

/** The proofs in the order of the request. They share the memory of the records. */
export function unpackProofs({ height, records }: Pick<NewAddressProofs, 'height' | 'records'>): NewAddressProof[] {
  const stride = proofRecordBytes(height);
  return Array.from({ length: records.length / stride }, (_, at) =>
    readProof(records.subarray(at * stride, (at + 1) * stride)),
  );
}

function readProof(record: Buffer): NewAddressProof {
  const hashAt = (at: number) => toHash(record.subarray(at, at + HASH_BYTES));
  return {
    address: hashAt(0),
    lowerRangeAddress: hashAt(LOWER),
    higherRangeAddress: hashAt(HIGHER),
    lowElementLeafIndex: Number(record.readBigUInt64BE(LOW_INDEX)),
    nextIndex: Number(record.readBigUInt64BE(NEXT_INDEX)),
    siblings: splitHashes(record.subarray(SIBLINGS)),
  };
}

/** Hashes that are stored one after another, one by one. @throws MalformedBytesError if the bytes are not hashes */
export function splitHashes(bytes: Buffer): Hash[] {
  if (bytes.length % HASH_BYTES !== 0) throw new MalformedBytesError(`${bytes.length} bytes are not hashes`);
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    toHash(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );
}
