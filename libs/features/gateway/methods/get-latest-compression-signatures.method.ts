import { findLatestSignatures } from '@fresnel/adapters/store-read';
import { getLatestCompressionSignatures } from '@fresnel/contracts/rpc';
import { defineRecordPageMethod } from './define-method';
import { SIGNATURE_LIST } from './signature-list';

export const GetLatestCompressionSignaturesMethod = defineRecordPageMethod(getLatestCompressionSignatures, {
  ...SIGNATURE_LIST,
  find: (reader, { limit, cursor }) => findLatestSignatures(reader, limit, cursor),
});
