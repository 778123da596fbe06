import { poseidonHex } from '@railgun-community/poseidon-hash-wasm';
import { HASH_BYTES, type Hash, type Hasher, MalformedBytesError } from '@fresnel/domain/primitives';

/** Order of the BN254 scalar field, big endian. */
const MODULUS = Buffer.from('30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001', 'hex');
const MAX_INPUTS = 12;

/** Whether 32 big-endian bytes are a number below the BN254 scalar field's order. */
export function isFieldElement(bytes: Buffer): boolean {
  return bytes.length === HASH_BYTES && bytes.compare(MODULUS) < 0;
}

/** The one Poseidon of the project. The wasm package checks neither range nor number of inputs, and drops leading zeros. */
export const poseidon: Hasher = (inputs) => {
  if (inputs.length < 1 || inputs.length > MAX_INPUTS) {
    throw new MalformedBytesError(`Poseidon takes 1 to ${MAX_INPUTS} inputs, not ${inputs.length}`);
  }
  return Buffer.from(poseidonHex(inputs.map(toHex)).padStart(HASH_BYTES * 2, '0'), 'hex') as Hash;
};

function toHex(input: Buffer): string {
  if (!isFieldElement(input)) throw new MalformedBytesError('a Poseidon input is not a field element');
  return input.toString('hex');
}
