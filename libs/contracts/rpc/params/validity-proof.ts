import { type Hash, keyOf, toBase58 } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { MAX_HASHES } from '../schemas/account-proof';
import { MAX_ADDRESSES } from '../schemas/new-address-proof';
import { HashText, nullable, PubkeyText } from '../schemas/scalars';
import { readNewAddress } from './addresses';
import { type AddressWithTree, readAddressWithTree } from './address-with-tree';
import { readHashList } from './hashes';
import { InvalidParamsError } from './invalid-params.error';
import { optional, readMembers, type ReadValue } from './members';

/** What a validity proof covers. */
export interface ValidityProofParams {
  hashes: Hash[];
  addresses: AddressWithTree[];
  /** Addresses of the default tree. */
  defaultTreeAddresses: Hash[];
}

const Hashes = Type.Optional(nullable(Type.Array(HashText, { maxItems: MAX_HASHES })));
const NewAddressesWithTrees = Type.Optional(
  nullable(Type.Array(closedObject({ address: PubkeyText, tree: PubkeyText }), { maxItems: MAX_ADDRESSES })),
);

export const ValidityProofParamsV2 = closedObject({ hashes: Hashes, newAddressesWithTrees: NewAddressesWithTrees });

export const ValidityProofParamsV1 = closedObject(
  {
    hashes: Hashes,
    newAddresses: Type.Optional(nullable(Type.Array(PubkeyText, { maxItems: MAX_ADDRESSES }))),
    newAddressesWithTrees: NewAddressesWithTrees,
  },
  { description: '`newAddresses` are addresses of the default address tree. At most one of the two lists may be set.' },
);

/** @throws InvalidParamsError also if nothing is to be proven */
export function readValidityProofParams(params: unknown): ValidityProofParams {
  const members = readMembers(params, 'params', ['hashes', 'newAddresses', 'newAddressesWithTrees']);
  if (members.has('newAddresses') && members.has('newAddressesWithTrees')) {
    throw new InvalidParamsError('newAddresses and newAddressesWithTrees must not both be given');
  }
  const proof: ValidityProofParams = {
    hashes: optional(members, 'hashes', readHashList) ?? [],
    addresses: optional(members, 'newAddressesWithTrees', listOf(readAddressWithTree)) ?? [],
    defaultTreeAddresses: optional(members, 'newAddresses', listOf(readNewAddress)) ?? [],
  };
  if (Object.values(proof).every((list: unknown[]) => list.length === 0)) {
    throw new InvalidParamsError('hashes or new addresses are required');
  }
  return proof;
}

/** @throws InvalidParamsError also for a hash that is given twice */
export function readValidityProofParamsV2(params: unknown): ValidityProofParams {
  const members = readMembers(params, 'params', ['hashes', 'newAddressesWithTrees']);
  const hashes = optional(members, 'hashes', readHashList) ?? [];
  const seen = new Set<string>();
  for (const hash of hashes) {
    if (seen.has(keyOf(hash))) throw new InvalidParamsError(`hashes contains ${toBase58(hash)} twice`);
    seen.add(keyOf(hash));
  }
  const addresses = optional(members, 'newAddressesWithTrees', listOf(readAddressWithTree)) ?? [];
  return { hashes, addresses, defaultTreeAddresses: [] };
}

function listOf<Value>(read: ReadValue<Value>): ReadValue<Value[]> {
  return (value, field) => {
    if (!Array.isArray(value)) throw new InvalidParamsError(`${field} must be an array`);
    if (value.length > MAX_ADDRESSES) {
      throw new InvalidParamsError(`${field} must contain at most ${MAX_ADDRESSES} items, not ${value.length}`);
    }
    return value.map((item, index) => read(item, `${field}[${index}]`));
  };
}
