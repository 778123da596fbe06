import { HASH_BYTES, type Hash, type Hasher, MalformedBytesError } from '@fresnel/domain/primitives';
import { MODULE, PARAMETERS } from './generated/module';

/** Order of the BN254 scalar field, big endian. */
const MODULUS = Buffer.from('30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001', 'hex');

/** Largest number of inputs of a hash. */
export const MAX_INPUTS = PARAMETERS.length;

/** Groups of inputs that one call of the module hashes. */
const MAX_GROUPS = 256;

/** Bytes of a bank of the module's memory: 9 limbs, in words of 4 bytes, of 832 field elements. */
const BANK_BYTES = 9 * 4 * 832;
const PAGE_BYTES = 65_536;

/** Node's types do not declare WebAssembly. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

interface PoseidonExports {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  heap(): number;
  loadParameters(to: number, from: number, count: number): void;
  hash(width: number, rounds: number, parameters: number, inputs: number, outputs: number, count: number): number;
}

/** Whether 32 big-endian bytes are a number below the BN254 scalar field's order. */
export function isFieldElement(bytes: Buffer): boolean {
  return bytes.length === HASH_BYTES && bytes.compare(MODULUS) < 0;
}

/** The hash function of ZK Compression, computed in WebAssembly. See `Hasher` for inputs, result and errors. */
export const poseidon: Hasher = (inputs) => {
  requireInputs(inputs.length);
  for (const input of inputs) if (input.length !== HASH_BYTES) throw notInField();
  return poseidonModule().hash(inputs.length, inputs, 1) as Hash;
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
    parts.push(poseidonModule().hash(arity, [part], part.length / groupBytes));
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

function requireInputs(count: number): void {
  if (count >= 1 && count <= MAX_INPUTS) return;
  throw new MalformedBytesError(`Poseidon takes 1 to ${MAX_INPUTS} inputs, not ${count}`);
}

function notInField(): MalformedBytesError {
  return new MalformedBytesError('a Poseidon input is not a field element');
}

/** One instance of the module. Its memory holds inputs, outputs, and the parameters of each arity once they were used. */
class PoseidonModule {
  private readonly exports: PoseidonExports;
  private readonly inputs: number;
  private readonly outputs: number;
  private readonly parameters = new Map<number, number>();
  private end: number;
  private bytes: Buffer;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(MODULE, 'base64'));
    this.exports = new WebAssembly.Instance(module).exports as PoseidonExports;
    this.bytes = Buffer.from(this.exports.memory.buffer);
    this.end = this.exports.heap();
    this.inputs = this.allocate(MAX_GROUPS * MAX_INPUTS * HASH_BYTES);
    this.outputs = this.allocate(MAX_GROUPS * HASH_BYTES);
  }

  /** @param parts whose bytes are the inputs of `groups` hashes, at most MAX_GROUPS */
  hash(arity: number, parts: readonly Buffer[], groups: number): Buffer {
    const parameters = this.parameters.get(arity) ?? this.loadParameters(arity);
    let position = this.inputs;
    for (const part of parts) {
      this.bytes.set(part, position);
      position += part.length;
    }
    const { partialRounds } = PARAMETERS[arity - 1];
    const hashed = this.exports.hash(arity + 1, partialRounds, parameters, this.inputs, this.outputs, groups);
    if (hashed < groups) throw notInField();
    // A copy: the module's memory is overwritten by the next hash.
    return Buffer.from(this.bytes.subarray(this.outputs, this.outputs + groups * HASH_BYTES));
  }

  private loadParameters(arity: number): number {
    const packed = Buffer.from(PARAMETERS[arity - 1].bytes, 'base64');
    const count = packed.length / HASH_BYTES;
    const parameters = this.allocate(BANK_BYTES);
    const source = this.allocate(packed.length);
    this.bytes.set(packed, source);
    this.exports.loadParameters(parameters, source, count);
    this.parameters.set(arity, parameters);
    this.end = source;
    return parameters;
  }

  private allocate(size: number): number {
    const start = this.end;
    this.end += size;
    const missing = this.end - this.bytes.length;
    if (missing > 0) {
      this.exports.memory.grow(Math.ceil(missing / PAGE_BYTES));
      this.bytes = Buffer.from(this.exports.memory.buffer);
    }
    return start;
  }
}

let instance: PoseidonModule | undefined;

/** Made at the first hash, so that processes that never hash do not compile it. */
function poseidonModule(): PoseidonModule {
  instance ??= new PoseidonModule();
  return instance;
}
