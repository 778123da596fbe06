import { HASH_BYTES, type Hash, type Hasher, MalformedBytesError } from '@fresnel/domain/primitives';
import { PARAMETERS } from './generated/module';
import { NativeModule } from './native-module';
import { MAX_GROUPS, type PoseidonModule } from './poseidon-module';
import { WasmModule } from './wasm-module';

/** Order of the BN254 scalar field, big endian. */
const MODULUS = Buffer.from('30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001', 'hex');

/** Largest number of inputs of a hash. */
export const MAX_INPUTS = PARAMETERS.length;

/** Made at the first hash, so that processes that never hash do not compile it. */
let instance: PoseidonModule | undefined;

/** Whether 32 big-endian bytes are a number below the BN254 scalar field's order. */
export function isFieldElement(bytes: Buffer): boolean {
  return bytes.length === HASH_BYTES && bytes.compare(MODULUS) < 0;
}

/** The hash function of ZK Compression. See `Hasher` for inputs, result and errors. */
export const poseidon: Hasher = (inputs) => {
  requireInputs(inputs.length);
  for (const input of inputs) if (input.length !== HASH_BYTES) throw notInField();
  return hashGroups(inputs.length, inputs, 1) as Hash;
};

/**
 * Hashes many groups of inputs at once.
 *
 * @param arity inputs of each hash, 1 to 12
 * @param inputs field elements, 32 bytes big endian each, group after group
 * @returns the hashes in one buffer, 32 bytes big endian each
 * @throws MalformedBytesError as `Hasher` does, or when `inputs` is not a whole number of groups
 */
export function poseidonBatch(arity: number, inputs: Buffer): Buffer {
  requireInputs(arity);
  const groupBytes = arity * HASH_BYTES;
  if (inputs.length % groupBytes !== 0) {
    throw new MalformedBytesError(`${inputs.length} bytes are not groups of ${arity} Poseidon inputs`);
  }
  const parts: Buffer[] = [];
  for (let start = 0; start < inputs.length; start += MAX_GROUPS * groupBytes) {
    const part = inputs.subarray(start, start + MAX_GROUPS * groupBytes);
    parts.push(hashGroups(arity, [part], part.length / groupBytes));
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

function requireInputs(count: number): void {
  if (count >= 1 && count <= MAX_INPUTS) return;
  throw new MalformedBytesError(`Poseidon takes 1 to ${MAX_INPUTS} inputs, not ${count}`);
}

function hashGroups(arity: number, parts: readonly Buffer[], groups: number): Buffer {
  instance ??= NativeModule.load() ?? new WasmModule();
  const hashes = instance.hash(arity, parts, groups);
  if (!hashes) throw notInField();
  return hashes;
}

function notInField(): MalformedBytesError {
  return new MalformedBytesError('a Poseidon input is not a field element');
}
