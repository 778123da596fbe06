import { type Hash, MalformedBytesError, toHash } from '@fresnel/domain/primitives';

const DISCRIMINATOR = Buffer.from('a4c86c3e573f7b41', 'hex');
const NULLIFIER_QUEUE = 1n;
const TYPE_OFFSET = 224;
const CAPACITY_OFFSET = 232;
const CELLS_OFFSET = 256;
const CELL_BYTES = 48;
const OUTPUT_QUEUE = Buffer.from('queueacc', 'latin1');
const OUTPUT_QUEUE_NEXT_INDEX = 280;
/** Tag of a cell whose account is spent, and whose leaf is not nullified yet. */
const WAITING = 0n;

/**
 * Parses the account of a V1 nullifier queue.
 *
 * ```
 * 0 discriminator | 224 queue type u64 (1: nullifiers) | 232 capacity u64
 * 256 + 48 i: cell i: tag u64 (0: waiting, 1: nullified, 2: empty) | sequence number u64 | hash of the account (32)
 * ```
 *
 * @param data the whole data of the account; little-endian
 * @returns hashes of the accounts that are spent, and whose leaves are not nullified yet; null if it is no such queue
 * @throws MalformedBytesError if the account ends before its last cell
 */
export function parseNullifierQueue(data: Buffer): Hash[] | null {
  if (!DISCRIMINATOR.equals(data.subarray(0, 8)) || data.length < CELLS_OFFSET) return null;
  if (data.readBigUInt64LE(TYPE_OFFSET) !== NULLIFIER_QUEUE) return null;
  const capacity = data.readBigUInt64LE(CAPACITY_OFFSET);
  if (BigInt(data.length) < BigInt(CELLS_OFFSET) + capacity * BigInt(CELL_BYTES)) {
    throw new MalformedBytesError(`a nullifier queue of ${capacity} cells has only ${data.length} bytes`);
  }
  const hashes: Hash[] = [];
  for (let cell = 0; cell < capacity; cell++) {
    const at = CELLS_OFFSET + cell * CELL_BYTES;
    if (data.readBigUInt64LE(at) === WAITING) hashes.push(toHash(data.subarray(at + 16, at + CELL_BYTES)));
  }
  return hashes;
}

/**
 * Reads the position of the next leaf in the account of a V2 output queue: u64 at 280, little-endian.
 *
 * @returns null if it is no such queue
 */
export function parseOutputQueueEnd(data: Buffer): bigint | null {
  if (!OUTPUT_QUEUE.equals(data.subarray(0, 8)) || data.length < OUTPUT_QUEUE_NEXT_INDEX + 8) return null;
  return data.readBigUInt64LE(OUTPUT_QUEUE_NEXT_INDEX);
}
