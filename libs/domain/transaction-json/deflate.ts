import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { loadAddon } from '@fresnel/domain/primitives';
import { TRANSACTION_JSON_DICTIONARY } from './transaction-json.dictionary';

/*
 * Two implementations of the same function: raw DEFLATE (RFC 1951) of some kilobytes, with the dictionary of transactions and
 * known bytes after it. Their outputs differ, and both are decompressed with zlib.
 */

/** @param known bytes that probably occur in the input; decompressing needs the same */
type Deflate = (input: Buffer, known: readonly Buffer[]) => Buffer;

/** What native-deflate.c exports. */
interface Addon {
  prepare(dictionary: Buffer): Buffer;
  deflate(workspace: Buffer, known: Buffer, input: Buffer, output: Buffer): number;
}

/** DEFLATE refers to the last 32 KiB. */
const WINDOW = 32_768;
/** More than the addon writes for an input of this size. */
const MAX_OUTPUT = 2 * WINDOW;
const LEVEL = 6;

export const deflateWithZlib: Deflate = (input, known) =>
  deflateRawSync(input, { dictionary: dictionaryWith(known), level: LEVEL });

/** Compresses in a fifth of the time of zlib, to 2 % more bytes; null where the addon is not compiled. */
export const nativeDeflate = createNativeDeflate();

/** The dictionary of an input with known bytes. */
export function dictionaryWith(known: readonly Buffer[]): Buffer {
  return Buffer.concat([TRANSACTION_JSON_DICTIONARY, ...known]);
}

function createNativeDeflate(): Deflate | null {
  const { prepare, deflate } = loadAddon<Addon>(join(__dirname, 'native-deflate.node'));
  if (!prepare || !deflate) return null;
  // Most processes only decompress.
  let buffers: { workspace: Buffer; output: Buffer } | undefined;
  return (input, known) => {
    const knownBytes = Buffer.concat(known);
    const isLong = TRANSACTION_JSON_DICTIONARY.length + knownBytes.length + input.length > WINDOW;
    if (isLong) return deflateWithZlib(input, known);
    buffers ??= { workspace: prepare(TRANSACTION_JSON_DICTIONARY), output: Buffer.alloc(MAX_OUTPUT) };
    const { workspace, output } = buffers;
    const length = deflate(workspace, knownBytes, input, output);
    const compressed = Buffer.allocUnsafe(length);
    output.copy(compressed, 0, 0, length);
    return compressed;
  };
}
