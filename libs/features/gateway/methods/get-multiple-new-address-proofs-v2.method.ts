import { findIndexedSlot } from '@fresnel/adapters/store-read';
import { getMultipleNewAddressProofsV2 } from '@fresnel/contracts/rpc';
import { defineMethod } from './method';
import { newAddressPoints } from './new-address-points';
import { proveNewAddresses } from './prove-new-addresses';

export const getMultipleNewAddressProofsV2Method = defineMethod(
  getMultipleNewAddressProofsV2,
  (requests, { prover, reader }) => proveNewAddresses(requests, prover, () => findIndexedSlot(reader)),
  newAddressPoints,
);
