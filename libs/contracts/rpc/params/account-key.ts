import { type Hash } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { HashText, nullable, PubkeyText } from '../schemas/scalars';
import { readHash } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { optional, readMembers } from './members';

/** The hash or the address of an account. */
export type AccountKey = { hash: Hash } | { address: Hash };

export const AccountKeyParams = closedObject(
  { hash: Type.Optional(nullable(HashText)), address: Type.Optional(nullable(PubkeyText)) },
  { description: 'Exactly one of the two members must be set.' },
);

/** @throws InvalidParamsError if not exactly one of the two members is set */
export function readAccountKey(params: unknown): AccountKey {
  const members = readMembers(params, 'params', ['hash', 'address']);
  const hash = optional(members, 'hash', readHash);
  const address = optional(members, 'address', readHash);
  if (hash && address) throw new InvalidParamsError('hash and address must not both be given');
  if (hash) return { hash };
  if (address) return { address };
  throw new InvalidParamsError('hash or address is required');
}
