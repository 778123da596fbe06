import { join } from 'node:path';
import { HASH_BYTES, loadAddon } from '@fresnel/domain/primitives';
import { PARAMETERS } from './generated/module';
import { type PoseidonModule } from './poseidon-module';

/** What avx512.c exports; nothing on a processor without the instructions that it uses. */
interface Addon {
  prepare: (parameters: Buffer) => Buffer;
  hash: (arity: number, partialRounds: number, prepared: Buffer, inputs: Buffer, outputs: Buffer) => boolean;
}

/** The hash function in machine code: eight hashes at once, in about the time of one in WebAssembly. */
export class NativeModule implements PoseidonModule {
  private readonly prepared = new Map<number, Buffer>();

  private constructor(private readonly addon: Addon) {}

  /** Null if it was not compiled, or if this processor lacks its instructions. */
  static load(): NativeModule | null {
    const { prepare, hash } = loadAddon<Addon>(join(__dirname, 'avx512.node'));
    return prepare && hash ? new NativeModule({ prepare, hash }) : null;
  }

  hash(arity: number, parts: readonly Buffer[], groups: number): Buffer | null {
    const prepared = this.prepared.get(arity) ?? this.prepare(arity);
    const inputs = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const hashes = Buffer.allocUnsafe(groups * HASH_BYTES);
    return this.addon.hash(arity, PARAMETERS[arity - 1].partialRounds, prepared, inputs, hashes) ? hashes : null;
  }

  private prepare(arity: number): Buffer {
    const prepared = this.addon.prepare(Buffer.from(PARAMETERS[arity - 1].bytes, 'base64'));
    this.prepared.set(arity, prepared);
    return prepared;
  }
}
