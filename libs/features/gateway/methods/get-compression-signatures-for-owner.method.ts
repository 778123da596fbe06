import { findOwnerSignatures } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForOwner } from '@fresnel/contracts/rpc';
import { definePageMethod } from './define-method';
import { SIGNATURE_LIST } from './signature-list';

export const GetCompressionSignaturesForOwnerMethod = definePageMethod(getCompressionSignaturesForOwner, {
  ...SIGNATURE_LIST,
  find: (reader, { owner, limit, cursor }) => findOwnerSignatures(reader, owner, limit, cursor),
});
