const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ONE = 0x31;

/** The characters of all numbers of two digits. */
const PAIR = 58 * 58;
const PAIRS = Buffer.from(
  Array.from({ length: PAIR }, (_, pair) => ALPHABET[Math.floor(pair / 58)] + ALPHABET[pair % 58]).join(''),
);

/** A limb is five base58 digits, a word is two bytes. */
const DIGITS_PER_LIMB = 5;
const LIMB = 58 ** DIGITS_PER_LIMB;
const TWO_LIMBS = BigInt(LIMB) ** 2n;

/** Longer inputs are converted with big integers. The sums below would be exact for up to 254 bytes. */
const MAX_TABLE_BYTES = 128;

/** The words and limbs of the number that is encoded, most significant first. Reused, because every response encodes hundreds of keys. */
const words = new Float64Array(MAX_TABLE_BYTES / 2);
const limbs = new Float64Array(MAX_TABLE_BYTES);
const digits = Buffer.alloc(MAX_TABLE_BYTES * 2);

/**
 * Encodes base58 with the Bitcoin alphabet: a leading zero byte becomes a leading `1`. Most of the bytes that Fresnel encodes are keys
 * of 32 bytes and signatures of 64.
 */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  if (bytes.length > MAX_TABLE_BYTES) return encodeLong(bytes, zeros);
  const length = writeDigits(sumLimbs(readWords(bytes)));
  let start = 0;
  while (start < length && digits[start] === ONE) start++;
  return digits.toString('latin1', start - zeros, length);
}

/** Reads big-endian words; the first word has one byte if their number is odd. @returns number of words */
function readWords(bytes: Uint8Array): number {
  const count = (bytes.length + 1) >> 1;
  const isOdd = bytes.length & 1;
  if (isOdd) words[0] = bytes[0];
  for (let word = isOdd, at = isOdd; word < count; word++, at += 2) words[word] = (bytes[at] << 8) | bytes[at + 1];
  return count;
}

/**
 * Sums up words times powers of 2^16. A product of a limb and a word is below 2^46, so the sums are exact; a sum may exceed a
 * limb.
 *
 * @returns number of limbs
 */
function sumLimbs(wordCount: number): number {
  const factors = factorsOf(wordCount);
  for (let limb = 0; limb < factors.length; limb++) {
    const row = factors[limb];
    let sum = 0;
    for (let word = 0; word < row.length; word++) sum += words[word] * row[word];
    limbs[limb] = sum;
  }
  return factors.length;
}

/** Carries what exceeds a limb, and writes the digits of all limbs. @returns number of digits, with leading zeros */
function writeDigits(limbCount: number): number {
  let carry = 0;
  for (let limb = limbCount - 1; limb >= 0; limb--) {
    const sum = limbs[limb] + carry;
    carry = Math.floor(sum / LIMB);
    const value = (sum - carry * LIMB) | 0; // integer divisions are faster
    const first = (value / PAIR) | 0;
    const leading = (first / PAIR) | 0;
    const at = limb * DIGITS_PER_LIMB;
    const [middlePair, lastPair] = [2 * (first - leading * PAIR), 2 * (value - first * PAIR)];
    digits[at] = PAIRS[2 * leading + 1];
    digits[at + 1] = PAIRS[middlePair];
    digits[at + 2] = PAIRS[middlePair + 1];
    digits[at + 3] = PAIRS[lastPair];
    digits[at + 4] = PAIRS[lastPair + 1];
  }
  return limbCount * DIGITS_PER_LIMB;
}

/** For each limb, how often each word counts in it, without the trailing words that do not count. */
type Factors = Float64Array[];

const factorsByWords: Factors[] = [];

function factorsOf(wordCount: number): Factors {
  return (factorsByWords[wordCount] ??= computeFactors(wordCount));
}

/** The factors of a word are the limbs of its power of 2^16. */
function computeFactors(wordCount: number): Factors {
  const limbCount = Math.ceil((wordCount * 16) / Math.log2(LIMB));
  const factors = Array.from({ length: limbCount }, () => [] as number[]);
  for (let word = 0; word < wordCount; word++) {
    let rest = 1n << BigInt(16 * (wordCount - 1 - word));
    for (let limb = limbCount - 1; rest > 0n; limb--, rest /= BigInt(LIMB)) {
      factors[limb][word] = Number(rest % BigInt(LIMB));
    }
  }
  return factors.map((row) => Float64Array.from(row));
}

/** One division yields ten digits. */
function encodeLong(bytes: Uint8Array, zeros: number): string {
  let text = '';
  for (let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`); rest > 0n; rest /= TWO_LIMBS) {
    const twoLimbs = rest % TWO_LIMBS;
    limbs[0] = Number(twoLimbs / BigInt(LIMB));
    limbs[1] = Number(twoLimbs % BigInt(LIMB));
    text = digits.toString('latin1', 0, writeDigits(2)) + text;
  }
  return ALPHABET[0].repeat(zeros) + text.replace(/^1+/, '');
}
