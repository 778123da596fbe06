import { findOwnerSignatures } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForOwner } from '@fresnel/contracts/rpc';
import { defineRecordPageMethod } from './define-method';
import { SIGNATURE_LIST } from './signature-list';

export const GetCompressionSignaturesForOwnerMethod = defineRecordPageMethod(getCompressionSignaturesForOwner, {
  ...SIGNATURE_LIST,
  find: (reader, { owner, limit, cursor }) => findOwnerSignatures(reader, owner, limit, cursor),
});
