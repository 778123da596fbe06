import { type Hash } from '@fresnel/domain/primitives';

const HASH_BYTES = 32;

/** A list of hashes in one column: 32 bytes each, one after the other. In SQL, `list_hashes` splits it. */
export function joinHashes(hashes: readonly Hash[]): Buffer {
  return Buffer.concat(hashes);
}

/** @throws Error if the length is not a multiple of 32 bytes */
export function splitHashes(list: Buffer): Hash[] {
  if (list.length % HASH_BYTES !== 0) throw new Error(`a list of hashes has ${list.length} bytes`);
  return Array.from(
    { length: list.length / HASH_BYTES },
    (_, at) => list.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) as Hash,
  );
}
