import { type Hash } from './brands';

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

/** The hash functions of a writer of trees. */
export interface TreeHasher {
  hash: Hasher;
  hashBatch: BatchHasher;
}
