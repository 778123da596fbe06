const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS_PER_LIMB = 5;
const LIMB = 58 ** DIGITS_PER_LIMB;
const TWO_LIMBS = BigInt(LIMB) ** 2n;

/**
 * Encodes instruction data in base58.
 *
 * Faster for long data than the codec of keys: one bigint division yields ten digits.
 */
export function dataToBase58(data: Buffer): string {
  const zeros = data.findIndex((byte) => byte !== 0);
  if (zeros < 0) return ALPHABET[0].repeat(data.length);
  const groups: string[] = [];
  for (let rest = BigInt(`0x${data.toString('hex')}`); rest > 0n; rest /= TWO_LIMBS) {
    const low = Number((rest % TWO_LIMBS) % BigInt(LIMB));
    const high = Number((rest % TWO_LIMBS) / BigInt(LIMB));
    groups.push(digitsOf(high) + digitsOf(low));
  }
  return ALPHABET[0].repeat(zeros) + groups.reverse().join('').replace(/^1+/, '');
}

/** Exactly five digits. */
function digitsOf(limb: number): string {
  let digits = '';
  for (let rest = limb; digits.length < DIGITS_PER_LIMB; rest = Math.floor(rest / 58))
    digits = ALPHABET[rest % 58] + digits;
  return digits;
}
