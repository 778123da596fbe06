import { type Hash } from './brands';

/**
 * Poseidon over the BN254 scalar field with circom's parameters.
 *
 * @param inputs one to twelve field elements, 32 bytes big endian each, below the modulus
 * @returns 32 bytes, big endian
 * @throws MalformedBytesError for an input that is not below the modulus, or another number of inputs
 */
export type Hasher = (inputs: readonly Buffer[]) => Hash;
