import { findLatestSignatures } from '@fresnel/adapters/store-read';
import { getLatestCompressionSignatures } from '@fresnel/contracts/rpc';
import { definePageMethod } from './define-method';
import { SIGNATURE_LIST } from './signature-list';

export const GetLatestCompressionSignaturesMethod = definePageMethod(getLatestCompressionSignatures, {
  ...SIGNATURE_LIST,
  find: (reader, { limit, cursor }) => findLatestSignatures(reader, limit, cursor),
});
