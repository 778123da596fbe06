import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { readNewAddress } from './addresses';
import { readPubkey } from './base58-values';
import { readMembers, type ReadValue, required } from './members';

/** A new address and its address tree. */
export interface AddressWithTree {
  address: Hash;
  tree: Pubkey;
}

export const readAddressWithTree: ReadValue<AddressWithTree> = (value, field) => {
  const members = readMembers(value, field, ['address', 'tree']);
  return {
    address: required(members, 'address', readNewAddress, `${field}.address`),
    tree: required(members, 'tree', readPubkey, `${field}.tree`),
  };
};
