import { MalformedTextError } from './errors';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ONE = 0x31;
const DIGIT_OF = new Int8Array(128).fill(-1);
const CHAR_OF = new Uint8Array(58);
for (let digit = 0; digit < 58; digit++) {
  DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;
  CHAR_OF[digit] = ALPHABET.charCodeAt(digit);
}

/** A limb is five base58 digits, a word is two bytes. */
const DIGITS_PER_LIMB = 5;
const LIMB = 58 ** DIGITS_PER_LIMB;
const TWO_LIMBS = BigInt(LIMB) ** 2n;

/** Longer inputs are converted with big integers. The sums below would be exact for up to 254 bytes. */
const MAX_TABLE_BYTES = 128;

/** Limbs of the number that is encoded, most significant first. Reused, because every response encodes hundreds of keys. */
const sums = new Float64Array(MAX_TABLE_BYTES);
const digits = Buffer.alloc(MAX_TABLE_BYTES * 2);

/** Encodes base58 with the Bitcoin alphabet: a leading zero byte becomes a leading `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  if (bytes.length > MAX_TABLE_BYTES) return encodeLong(bytes, zeros);
  const length = writeDigits(addWords(bytes));
  let start = 0;
  while (start < length && digits[start] === ONE) start++;
  return digits.toString('latin1', start - zeros, length);
}

/**
 * Sums up words times powers of 2^16 in `sums`. A product of a limb and a word is below 2^46, so the sums are exact; a sum
 * may exceed a limb.
 *
 * @returns number of limbs
 */
function addWords(bytes: Uint8Array): number {
  const words = (bytes.length + 1) >> 1;
  const { limbs, starts, powers } = powersOf(words);
  for (let limb = 0; limb < limbs; limb++) sums[limb] = 0;
  const isOdd = bytes.length & 1;
  for (let word = 0, at = 0; word < words; word++) {
    const low = 2 * word + 1 - isOdd;
    const value = (low === 0 ? 0 : bytes[low - 1] << 8) | bytes[low];
    for (let limb = starts[word]; limb < limbs; limb++) sums[limb] += value * powers[at++];
  }
  return limbs;
}

/** Carries what exceeds a limb, and writes the digits of all limbs. @returns number of digits, with leading zeros */
function writeDigits(limbs: number): number {
  let carry = 0;
  for (let limb = limbs - 1; limb >= 0; limb--) {
    const sum = sums[limb] + carry;
    carry = Math.floor(sum / LIMB);
    let rest = (sum - carry * LIMB) | 0; // integer divisions are faster
    for (let at = limb * DIGITS_PER_LIMB + DIGITS_PER_LIMB - 1; at >= limb * DIGITS_PER_LIMB; at--) {
      const quotient = (rest / 58) | 0;
      digits[at] = CHAR_OF[rest - quotient * 58];
      rest = quotient;
    }
  }
  return limbs * DIGITS_PER_LIMB;
}

/** The powers of 2^16 of each word, as limbs without leading zeros. */
interface Powers {
  /** Limbs of the largest number. */
  limbs: number;
  /** The index of the first limb of each power. */
  starts: Int32Array;
  /** The limbs of all powers, most significant first. */
  powers: Float64Array;
}

const powersByWords: Powers[] = [];

function powersOf(words: number): Powers {
  return (powersByWords[words] ??= computePowers(words));
}

function computePowers(words: number): Powers {
  const limbs = Math.ceil((words * 16) / Math.log2(LIMB));
  const starts: number[] = [];
  const powers: number[] = [];
  for (let word = words - 1; word >= 0; word--) {
    const power: number[] = [];
    for (let rest = 1n << BigInt(16 * word); rest > 0n; rest /= BigInt(LIMB)) power.push(Number(rest % BigInt(LIMB)));
    starts.push(limbs - power.length);
    powers.push(...power.reverse());
  }
  return { limbs, starts: Int32Array.from(starts), powers: Float64Array.from(powers) };
}

/** One division yields ten digits. */
function encodeLong(bytes: Uint8Array, zeros: number): string {
  let text = '';
  for (let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`); rest > 0n; rest /= TWO_LIMBS) {
    const twoLimbs = rest % TWO_LIMBS;
    sums[0] = Number(twoLimbs / BigInt(LIMB));
    sums[1] = Number(twoLimbs % BigInt(LIMB));
    text = digits.toString('latin1', 0, writeDigits(2)) + text;
  }
  return ALPHABET[0].repeat(zeros) + text.replace(/^1+/, '');
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
  if (digit < 0) throw new MalformedTextError(`not base58: character ${at + 1}`);
  return digit;
}
