import bs58 from 'bs58';
import { fromBase64 } from './bytes';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const HEADER_BYTES = 3;
const VERSION_0 = 0x80;
const VERSION_1 = 0x81;
/** Of a transaction of version 1: the version, the header, a mask, a blockhash, and the number of instructions. */
const BYTES_BEFORE_KEYS = 1 + HEADER_BYTES + 4 + 32 + 1;

/**
 * Lists the keys of a transaction that it may change and that did not sign it. Trees are among them.
 *
 * @param base64 a transaction; the list has no keys of lookup tables
 * @returns none if it cannot be read
 */
export function listChangedKeys(base64: string): string[] {
  const bytes = fromBase64(base64);
  if (bytes[0] === VERSION_1) {
    return selectKeys(bytes.subarray(1), bytes[BYTES_BEFORE_KEYS], bytes.subarray(BYTES_BEFORE_KEYS + 1));
  }
  const signatures = readCount(bytes);
  const message = bytes.subarray(signatures.length + signatures.count * SIGNATURE_BYTES);
  if (message[0] > VERSION_0) return [];
  const header = message.subarray(message[0] === VERSION_0 ? 1 : 0);
  const keys = readCount(header.subarray(HEADER_BYTES));
  return selectKeys(header, keys.count, header.subarray(HEADER_BYTES + keys.length));
}

/** Reads up to three bytes with seven bits each, lowest first. */
function readCount(bytes: Uint8Array): { count: number; length: number } {
  const length = bytes[0] < 0x80 ? 1 : bytes[1] < 0x80 ? 2 : 3;
  const count = bytes.subarray(0, length).reduce((sum, byte, index) => sum + (byte % 0x80) * 0x80 ** index, 0);
  return { count, length };
}

/** @param header the numbers of signers, of read-only signers, and of other read-only keys, which are the last */
function selectKeys(header: Uint8Array, count: number, bytes: Uint8Array): string[] {
  const [signers, , readOnly] = header;
  if (!(count * KEY_BYTES <= bytes.length)) return [];
  const keys = Array.from({ length: count }, (_, at) => bytes.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES));
  return keys.slice(signers, count - readOnly).map((key) => bs58.encode(key));
}
