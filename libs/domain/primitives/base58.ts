import { MalformedTextError } from './errors';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ONE = 0x31;
const DIGIT_OF = new Int8Array(128).fill(-1);
const CHAR_OF = new Uint8Array(58);
for (let digit = 0; digit < 58; digit++) {
  DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;
  CHAR_OF[digit] = ALPHABET.charCodeAt(digit);
}

/**
 * Five base58 digits make one limb, two bytes one word: 58^5 * 2^16 stays below 2^53, so plain numbers are exact and a
 * 32-byte key takes 16 x 9 multiplications instead of the 32 x 44 of digit by digit.
 */
const DIGITS_PER_LIMB = 5;
const LIMB = 58 ** DIGITS_PER_LIMB;
const WORD = 2 ** 16;

/** Base58 with the Bitcoin alphabet: a leading zero byte becomes a leading `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  const limbs = toLimbs(bytes, zeros);
  const out = Buffer.allocUnsafe(zeros + limbs.length * DIGITS_PER_LIMB).fill(ONE, 0, zeros);
  let length = zeros;
  for (let i = limbs.length - 1; i >= 0; i--) {
    let divisor = LIMB / 58;
    for (let k = 0; k < DIGITS_PER_LIMB; k++, divisor /= 58) {
      const digit = Math.floor(limbs[i] / divisor) % 58;
      if (digit !== 0 || length > zeros) out[length++] = CHAR_OF[digit];
    }
  }
  return out.toString('latin1', 0, length);
}

/** Limbs of the number behind the leading zeros, least significant first. */
function toLimbs(bytes: Uint8Array, zeros: number): number[] {
  const limbs: number[] = [];
  let at = zeros;
  if ((bytes.length - zeros) % 2 === 1) limbs.push(bytes[at++]);
  for (; at < bytes.length; at += 2) {
    let carry = bytes[at] * 256 + bytes[at + 1];
    for (let i = 0; i < limbs.length; i++) {
      const value = limbs[i] * WORD + carry;
      carry = Math.floor(value / LIMB);
      limbs[i] = value - carry * LIMB;
    }
    if (carry > 0) limbs.push(carry);
  }
  return limbs;
}

/**
 * Reads base58.
 *
 * @param length bytes the result must have; a text that cannot make that many is refused before any work is done
 * @throws MalformedTextError for a character outside the alphabet or another length
 */
export function decodeBase58(text: string, length?: number): Buffer {
  if (length !== undefined && (text.length < length || text.length > Math.ceil(length * 1.3658))) {
    throw new MalformedTextError(`${length} bytes do not make ${text.length} base58 characters`);
  }
  let zeros = 0;
  while (zeros < text.length && text.charCodeAt(zeros) === ONE) zeros++;
  const bytes = toBytes(toWords(text, zeros), zeros);
  if (length !== undefined && bytes.length !== length) {
    throw new MalformedTextError(`this base58 text holds ${bytes.length} bytes, not ${length}`);
  }
  return bytes;
}

/** Words of the number behind the leading ones, least significant first. */
function toWords(text: string, zeros: number): number[] {
  const words: number[] = [];
  for (let at = zeros; at < text.length;) {
    const end = Math.min(at + DIGITS_PER_LIMB, text.length);
    let carry = 0;
    let scale = 1;
    for (; at < end; at++, scale *= 58) carry = carry * 58 + digitAt(text, at);
    for (let i = 0; i < words.length; i++) {
      const value = words[i] * scale + carry;
      words[i] = value % WORD;
      carry = Math.floor(value / WORD);
    }
    for (; carry > 0; carry = Math.floor(carry / WORD)) words.push(carry % WORD);
  }
  return words;
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const digit = code < 128 ? DIGIT_OF[code] : -1;
  if (digit < 0) throw new MalformedTextError(`not base58: character ${at + 1}`);
  return digit;
}

function toBytes(words: number[], zeros: number): Buffer {
  const isTopHalf = words.length > 0 && words[words.length - 1] < 256;
  const bytes = Buffer.alloc(zeros + words.length * 2 - (isTopHalf ? 1 : 0));
  let at = bytes.length;
  for (const word of words) {
    bytes[--at] = word & 0xff;
    if (at > zeros) bytes[--at] = word >> 8;
  }
  return bytes;
}
