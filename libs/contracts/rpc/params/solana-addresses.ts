import { type Pubkey } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { nullable, PubkeyText } from '../schemas/scalars';
import { readPubkey } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { optional, type ReadValue, readMembers, required } from './members';

/** Maximum number of Solana accounts in one request. A node answers as many at once. */
export const MAX_SOLANA_ADDRESSES = 100;

const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;

/** How final a block must be for a node to read accounts as of it. */
export type Commitment = (typeof COMMITMENTS)[number];

/** Accounts on the chain, and the commitment of the look-up there; null: the default. */
export interface SolanaAccountsRequest {
  addresses: Pubkey[];
  commitment: Commitment | null;
}

const OptionalCommitment = Type.Optional(
  nullable(Type.Enum([...COMMITMENTS], { type: 'string', description: 'Of the look-up on the chain.' })),
);

export const SolanaAddressParams = closedObject({ address: PubkeyText, commitment: OptionalCommitment });
export const SolanaAddressesParams = closedObject({
  addresses: Type.Array(PubkeyText, { minItems: 1, maxItems: MAX_SOLANA_ADDRESSES }),
  commitment: OptionalCommitment,
});

/** @throws InvalidParamsError */
export function readSolanaAddress(params: unknown): SolanaAccountsRequest {
  const members = readMembers(params, 'params', ['address', 'commitment']);
  return {
    addresses: [required(members, 'address', readPubkey)],
    commitment: optional(members, 'commitment', readCommitment),
  };
}

/** @throws InvalidParamsError */
export function readSolanaAddresses(params: unknown): SolanaAccountsRequest {
  const members = readMembers(params, 'params', ['addresses', 'commitment']);
  return {
    addresses: required(members, 'addresses', readList),
    commitment: optional(members, 'commitment', readCommitment),
  };
}

const readCommitment: ReadValue<Commitment> = (value, field) => {
  const commitment = COMMITMENTS.find((known) => known === value);
  if (commitment === undefined) throw new InvalidParamsError(`${field} must be ${COMMITMENTS.join(', ')} or null`);
  return commitment;
};

const readList: ReadValue<Pubkey[]> = (value, field) => {
  if (!Array.isArray(value)) throw new InvalidParamsError(`${field} must be an array`);
  if (value.length === 0 || value.length > MAX_SOLANA_ADDRESSES) {
    throw new InvalidParamsError(`${field} must contain 1 to ${MAX_SOLANA_ADDRESSES} addresses, not ${value.length}`);
  }
  return value.map((item, index) => readPubkey(item, `${field}[${index}]`));
};
