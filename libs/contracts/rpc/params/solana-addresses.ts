import { type Pubkey } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { PubkeyText } from '../schemas/scalars';
import { readPubkey } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { type ReadValue, readMembers, required } from './members';

/** Maximum number of Solana accounts in one request. A node answers as many at once. */
export const MAX_SOLANA_ADDRESSES = 100;

export const SolanaAddressParams = closedObject({ address: PubkeyText });
export const SolanaAddressesParams = closedObject({
  addresses: Type.Array(PubkeyText, { minItems: 1, maxItems: MAX_SOLANA_ADDRESSES }),
});

/** @throws InvalidParamsError */
export function readSolanaAddress(params: unknown): Pubkey {
  return required(readMembers(params, 'params', ['address']), 'address', readPubkey);
}

/** @throws InvalidParamsError */
export function readSolanaAddresses(params: unknown): Pubkey[] {
  return required(readMembers(params, 'params', ['addresses']), 'addresses', readList);
}

const readList: ReadValue<Pubkey[]> = (value, field) => {
  if (!Array.isArray(value)) throw new InvalidParamsError(`${field} must be an array`);
  if (value.length === 0 || value.length > MAX_SOLANA_ADDRESSES) {
    throw new InvalidParamsError(`${field} must contain 1 to ${MAX_SOLANA_ADDRESSES} addresses, not ${value.length}`);
  }
  return value.map((item, index) => readPubkey(item, `${field}[${index}]`));
};
