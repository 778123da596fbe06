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
 * A limb is five base58 digits, a word is two bytes. 58^5 * 2^16 is below 2^53, so numbers are exact, and a 32-byte key
 * takes 16 x 9 multiplications instead of 32 x 44 for single digits.
 */
const DIGITS_PER_LIMB = 5;
const LIMB = 58 ** DIGITS_PER_LIMB;
const WORD = 2 ** 16;

/**
 * Encodes base58 with the Bitcoin alphabet: a leading zero byte becomes a leading `1`. For short inputs such as keys,
 * hashes and signatures, because the time is quadratic in the length.
 */
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

/** Converts the bytes after the leading zeros to limbs, least significant first. */
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
 * Decodes base58.
 *
 * @param length expected number of bytes; a text whose length cannot match is rejected before it is decoded
 * @throws MalformedTextError for a character outside the alphabet or another length
 */
export function decodeBase58(text: string, length?: number): Buffer {
  if (length !== undefined && (text.length < length || text.length > Math.ceil(length * 1.3658))) {
    throw new MalformedTextError(`${text.length} base58 characters cannot be ${length} bytes`);
  }
  let zeros = 0;
  while (zeros < text.length && text.charCodeAt(zeros) === ONE) zeros++;
  const hex = toNumber(text, zeros).toString(16);
  const digits = zeros === text.length ? '' : hex.padStart(hex.length + (hex.length % 2), '0');
  const bytes = Buffer.from('00'.repeat(zeros) + digits, 'hex');
  if (length !== undefined && bytes.length !== length) {
    throw new MalformedTextError(`this base58 text has ${bytes.length} bytes, not ${length}`);
  }
  return bytes;
}

const TWO_LIMBS = BigInt(LIMB) ** 2n;

/** Adds ten digits at a time, which is faster for instruction data with hundreds of digits. */
function toNumber(text: string, from: number): bigint {
  const step = 2 * DIGITS_PER_LIMB;
  const first = from + ((text.length - from) % step);
  let number = toTwoLimbs(text, from, first);
  for (let at = first; at < text.length; at += step) number = number * TWO_LIMBS + toTwoLimbs(text, at, at + step);
  return number;
}

/** Converts up to ten digits, as two numbers of up to five digits, which are exact. */
function toTwoLimbs(text: string, from: number, to: number): bigint {
  const middle = Math.max(from, to - DIGITS_PER_LIMB);
  return BigInt(toLimb(text, from, middle)) * BigInt(LIMB) + BigInt(toLimb(text, middle, to));
}

function toLimb(text: string, from: number, to: number): number {
  let limb = 0;
  for (let at = from; at < to; at++) limb = limb * 58 + digitAt(text, at);
  return limb;
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const digit = code < 128 ? DIGIT_OF[code] : -1;
  if (digit < 0) throw new MalformedTextError(`not base58: character ${at + 1}`);
  return digit;
}
