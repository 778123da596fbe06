import { type TokenData } from '../facts';
import { BorshWriter } from './borsh-writer';

/** How token data end: `tagged` with the extensions option, `none` without it, as in the oldest accounts. */
export type TokenDataEnd = 'tagged' | 'none';

/**
 * ```
 * mint 32 | owner 32 | amount u64 | delegate option | state u8 (0 initialized, 1 frozen) | extensions option
 * ```
 *
 * The extensions follow their tag without a length prefix.
 */
export function encodeTokenData(token: TokenData, end: TokenDataEnd): Buffer {
  const writer = new BorshWriter().fixed(token.mint).fixed(token.owner).u64(token.amount);
  writer.option(token.delegate, (delegate) => writer.fixed(delegate)).u8(token.isFrozen ? 1 : 0);
  if (end === 'tagged') writer.option(token.extensions, (extensions) => writer.fixed(extensions));
  return writer.toBuffer();
}
