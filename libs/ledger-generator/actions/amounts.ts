import { MAX_U64 } from '@fresnel/domain/primitives';
import { type Random } from '../random';

/** How many accounts one transition creates at most. */
export const MAX_NEW_ACCOUNTS = 4;

const EXTREME_SHARE = 0.08;
const USUAL_BITS = 40;

/** From 0 to `max`: mostly of some everyday size, now and then the whole or nothing. */
export function amountUpTo(max: bigint, random: Random): bigint {
  if (random.chance(EXTREME_SHARE)) return max;
  if (random.chance(EXTREME_SHARE)) return 0n;
  const usual = random.u64UpTo(2n ** BigInt(random.between(1, USUAL_BITS)));
  return usual < max ? usual : random.u64UpTo(max);
}

/** Lamports of one of at most `MAX_NEW_ACCOUNTS` accounts, most often none; together they fit in a u64. */
export function newLamports(random: Random): bigint {
  return random.chance(0.6) ? 0n : amountUpTo(MAX_U64 / BigInt(MAX_NEW_ACCOUNTS), random);
}
