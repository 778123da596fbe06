import { join } from 'node:path';
import { loadAddon } from './load-addon';

/** What native-base58.c exports. */
interface Addon {
  decode(text: string, output: Buffer): number;
  /** @param key of 32 or 64 bytes */
  encode(key: Uint8Array): string;
}

/** Without members where the addon is not compiled. */
export const BASE58_ADDON = loadAddon<Addon>(join(__dirname, 'native-base58.node'));
