import { findIndexedSlot } from '@fresnel/adapters/store-read';
import { getMultipleNewAddressProofs } from '@fresnel/contracts/rpc';
import { defineMethod } from './method';
import { newAddressPoints } from './new-address-points';
import { proveNewAddresses } from './prove-new-addresses';

export const getMultipleNewAddressProofsMethod = defineMethod(
  getMultipleNewAddressProofs,
  (addresses, { prover, reader, options }) => {
    const requests = addresses.map((address) => ({ address, tree: options.defaultAddressTree }));
    return proveNewAddresses(requests, prover, () => findIndexedSlot(reader));
  },
  newAddressPoints,
);
