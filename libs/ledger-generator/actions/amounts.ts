import { MAX_U64 } from '@fresnel/domain/primitives';
import { type Random } from '../random';

/** Maximum number of accounts that one transition creates. */
export const MAX_NEW_ACCOUNTS = 4;

const EXTREME_SHARE = 0.08;
const USUAL_BITS = 40;

/** A random amount from 0 to `max`: usually below 2^40, sometimes exactly 0 or `max`. */
export function amountUpTo(max: bigint, random: Random): bigint {
  if (random.chance(EXTREME_SHARE)) return max;
  if (random.chance(EXTREME_SHARE)) return 0n;
  const usual = random.u64UpTo(2n ** BigInt(random.between(1, USUAL_BITS)));
  return usual < max ? usual : random.u64UpTo(max);
}

/** Random lamports of a new account, usually 0. The sum of `MAX_NEW_ACCOUNTS` such values fits in a u64. */
export function newLamports(random: Random): bigint {
  return random.chance(0.6) ? 0n : amountUpTo(MAX_U64 / BigInt(MAX_NEW_ACCOUNTS), random);
}
