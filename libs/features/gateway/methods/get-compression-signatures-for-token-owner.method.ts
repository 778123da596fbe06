import { findTokenOwnerSignatures } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForTokenOwner } from '@fresnel/contracts/rpc';
import { definePageMethod } from './define-method';
import { SIGNATURE_LIST } from './signature-list';

export const GetCompressionSignaturesForTokenOwnerMethod = definePageMethod(getCompressionSignaturesForTokenOwner, {
  ...SIGNATURE_LIST,
  find: (reader, { owner, limit, cursor }) => findTokenOwnerSignatures(reader, owner, limit, cursor),
});
