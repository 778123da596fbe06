import { findAddressSignatures } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForAddress } from '@fresnel/contracts/rpc';
import { definePageMethod } from './define-method';
import { SIGNATURE_LIST } from './signature-list';

export const GetCompressionSignaturesForAddressMethod = definePageMethod(getCompressionSignaturesForAddress, {
  ...SIGNATURE_LIST,
  find: (reader, { address, limit, cursor }) => findAddressSignatures(reader, address, limit, cursor),
});
