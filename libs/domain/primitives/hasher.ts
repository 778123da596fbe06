import { HASH_BYTES, type Hash } from './brands';

/**
 * Poseidon over the BN254 scalar field with circom's parameters.
 *
 * @param inputs one to twelve field elements, 32 bytes big endian each, below the modulus
 * @returns 32 bytes, big endian
 * @throws MalformedBytesError for an input that is not below the modulus, or another number of inputs
 */
export type Hasher = (inputs: readonly Buffer[]) => Hash;

/**
 * Hashes many groups of inputs, with the result of `Hasher` for each. Other work of the event loop goes on meanwhile.
 *
 * @param arity inputs of each hash, 1 to 12
 * @param inputs field elements, 32 bytes big endian each, group after group
 * @returns the hashes, 32 bytes big endian each, in the order of the groups
 * @throws MalformedBytesError as `Hasher` does
 */
export type BatchHasher = (arity: number, inputs: Buffer) => Promise<Buffer>;

/** Hashes of two inputs each, where later ones use the results of earlier ones: the nodes above changed leaves. */
export interface HashSeries {
  /** Field elements, 32 bytes big endian each. */
  values: Buffer;
  /** Two for each hash. From 0 on: the position of a value. Negative, -1 - n: the result of hash n of the series. */
  operands: Int32Array;
}

/**
 * Hashes a series, with the result of `Hasher` for each pair of operands. Other work of the event loop goes on meanwhile.
 *
 * @returns the hashes, 32 bytes big endian each, in their order
 * @throws MalformedBytesError as `Hasher` does
 */
export type SeriesHasher = (series: HashSeries) => Promise<Buffer>;

/** The hash functions of a writer of trees. */
export interface TreeHasher {
  hash: Hasher;
  hashBatch: BatchHasher;
  hashSeries: SeriesHasher;
}

/** Hashes a series on the calling thread, as `SeriesHasher` does. */
export function hashInSeries({ values, operands }: HashSeries, hash: Hasher): Buffer {
  const hashes = Buffer.allocUnsafe((operands.length / 2) * HASH_BYTES);
  const at = (bytes: Buffer, position: number) => bytes.subarray(position * HASH_BYTES, (position + 1) * HASH_BYTES);
  const operand = (reference: number) => (reference < 0 ? at(hashes, -1 - reference) : at(values, reference));
  for (let pair = 0; pair < operands.length; pair += 2) {
    hash([operand(operands[pair]), operand(operands[pair + 1])]).copy(hashes, (pair / 2) * HASH_BYTES);
  }
  return hashes;
}
