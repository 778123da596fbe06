import { type Hash } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { MAX_ACCOUNTS } from '../schemas/account-list';
import { closedObject } from '../schemas/closed-object';
import { HashText, nullable, PubkeyText } from '../schemas/scalars';
import { readHash } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { optional, readMembers, type ReadValue } from './members';

/** The hashes or the addresses of accounts. */
export type AccountKeys = { hashes: Hash[] } | { addresses: Hash[] };

export const AccountKeysParams = closedObject(
  {
    hashes: Type.Optional(nullable(Type.Array(HashText, { maxItems: MAX_ACCOUNTS }))),
    addresses: Type.Optional(nullable(Type.Array(PubkeyText, { maxItems: MAX_ACCOUNTS }))),
  },
  { description: 'Exactly one of the two members must be set.' },
);

/** @throws InvalidParamsError if not exactly one of the two members is set */
export function readAccountKeys(params: unknown): AccountKeys {
  const members = readMembers(params, 'params', ['hashes', 'addresses']);
  const hashes = optional(members, 'hashes', readHashes);
  const addresses = optional(members, 'addresses', readHashes);
  if (hashes && addresses) throw new InvalidParamsError('hashes and addresses must not both be given');
  if (hashes) return { hashes };
  if (addresses) return { addresses };
  throw new InvalidParamsError('hashes or addresses is required');
}

const readHashes: ReadValue<Hash[]> = (value, field) => {
  if (!Array.isArray(value)) throw new InvalidParamsError(`${field} must be an array`);
  if (value.length > MAX_ACCOUNTS) {
    throw new InvalidParamsError(`${field} must contain at most ${MAX_ACCOUNTS} items, not ${value.length}`);
  }
  return value.map((item, index) => readHash(item, `${field}[${index}]`));
};
