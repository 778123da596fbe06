import { be32, type Hash } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { type TokenData } from '../facts';
import { u64Bytes } from './account-hash';
import { bytesToField, padToField, truncatedSha256 } from './field';

const FROZEN = be32(1);

/**
 * The hash function of token data. `poseidon-le` and `poseidon-be` differ in the byte order of the amount; `sha-flat`
 * hashes the stored bytes.
 */
export type TokenHashScheme = 'poseidon-le' | 'poseidon-be' | 'sha-flat';

/**
 * The data hash of a token account.
 *
 * @param bytes the token data as stored in the account
 */
export function hashTokenData(token: TokenData, bytes: Buffer, scheme: TokenHashScheme): Hash {
  if (scheme === 'sha-flat') return truncatedSha256(bytes);
  const inputs: Buffer[] = [
    bytesToField(token.mint),
    bytesToField(token.owner),
    padToField(u64Bytes(token.amount, scheme === 'poseidon-le')),
  ];
  if (token.delegate) inputs.push(bytesToField(token.delegate));
  if (token.isFrozen) inputs.push(FROZEN);
  return poseidon(inputs);
}
