import { MalformedTextError } from './errors';

const ONE = 0x31;
const DIGIT_OF = new Int8Array(128).fill(-1);
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
for (let digit = 0; digit < 58; digit++) DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;

/**
 * Decodes base58. Most of the texts that Fresnel decodes are instruction data with hundreds of digits.
 *
 * @param length expected number of bytes; a text whose length cannot match is rejected before it is decoded
 * @throws MalformedTextError for a character outside the alphabet or another length
 */
export function decodeBase58(text: string, length?: number): Buffer {
  if (length !== undefined && (text.length < length || text.length > Math.ceil(length * 1.3658))) {
    throw new MalformedTextError(`${text.length} base58 characters cannot be ${length} bytes`);
  }
  const bytes = decode(text);
  if (length !== undefined && bytes.length !== length) {
    throw new MalformedTextError(`this base58 text has ${bytes.length} bytes, not ${length}`);
  }
  return bytes;
}

function decode(text: string): Buffer {
  let zeros = 0;
  while (zeros < text.length && text.charCodeAt(zeros) === ONE) zeros++;
  const hex = toNumber(text, zeros).toString(16);
  const digits = zeros === text.length ? '' : hex.padStart(hex.length + (hex.length % 2), '0');
  return Buffer.from('00'.repeat(zeros) + digits, 'hex');
}

/** Nine digits are a number below 2^53. */
const EXACT_DIGITS = 9;
const EXACT_LIMIT = BigInt(58 ** EXACT_DIGITS);

/** Adds nine digits at a time, which is faster for instruction data with hundreds of digits. */
function toNumber(text: string, from: number): bigint {
  const first = from + ((text.length - from) % EXACT_DIGITS);
  let number = BigInt(toExact(text, from, first));
  for (let at = first; at < text.length; at += EXACT_DIGITS) {
    number = number * EXACT_LIMIT + BigInt(toExact(text, at, at + EXACT_DIGITS));
  }
  return number;
}

function toExact(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 58 + digitAt(text, at);
  return number;
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const digit = code < 128 ? DIGIT_OF[code] : -1;
  if (digit < 0) throw malformed(at + 1);
  return digit;
}

/** @param place of the character, counted from 1 */
function malformed(place: number): MalformedTextError {
  return new MalformedTextError(`not base58: character ${place}`);
}
