import { HASH_BYTES } from '@fresnel/domain/primitives';
import { MODULE, PARAMETERS } from './generated/module';
import { MAX_GROUPS, type PoseidonModule } from './poseidon-module';

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

/** One instance of the module. Its memory holds inputs, outputs, and the parameters of each arity once they were used. */
export class WasmModule implements PoseidonModule {
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
    this.inputs = this.allocate(MAX_GROUPS * PARAMETERS.length * HASH_BYTES);
    this.outputs = this.allocate(MAX_GROUPS * HASH_BYTES);
  }

  hash(arity: number, parts: readonly Buffer[], groups: number): Buffer | null {
    const parameters = this.parameters.get(arity) ?? this.loadParameters(arity);
    let position = this.inputs;
    for (const part of parts) {
      this.bytes.set(part, position);
      position += part.length;
    }
    const { partialRounds } = PARAMETERS[arity - 1];
    const hashed = this.exports.hash(arity + 1, partialRounds, parameters, this.inputs, this.outputs, groups);
    if (hashed < groups) return null;
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
