import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HASH_BYTES } from '@fresnel/domain/primitives';
import { PARAMETERS } from './generated/module';
import { type PoseidonModule } from './poseidon-module';

/** The addon of Node that the build compiles from avx512.c, with the C compiler of the machine if it has one. */
const ADDON = join(__dirname, 'avx512.node');

/** What the addon exports. */
interface Addon {
  prepare: (parameters: Buffer) => Buffer;
  hash: (arity: number, partialRounds: number, prepared: Buffer, inputs: Buffer, outputs: Buffer) => boolean;
}

/** The hash function in machine code: eight hashes at once, in about the time of one in WebAssembly. */
export class NativeModule implements PoseidonModule {
  private readonly prepared = new Map<number, Buffer>();

  private constructor(private readonly addon: Addon) {}

  /** Null if it was not compiled, as on macOS and arm64, or if this processor lacks its instructions. */
  static load(): NativeModule | null {
    if (!existsSync(ADDON)) return null;
    const { prepare, hash } = loadAddon();
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

/** Without members on a processor that lacks the instructions, or if it was compiled for another platform or C library. */
function loadAddon(): Partial<Addon> {
  const module: { exports: Partial<Addon> } = { exports: {} };
  try {
    process.dlopen(module, ADDON);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_DLOPEN_FAILED') throw error;
  }
  return module.exports;
}
