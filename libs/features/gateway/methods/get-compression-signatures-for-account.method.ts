import { findAccountSignatures } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForAccount, SignatureItem } from '@fresnel/contracts/rpc';
import { presentSignature } from '../present/signature.presenter';
import { defineListMethod } from './define-method';

export const GetCompressionSignaturesForAccountMethod = defineListMethod(getCompressionSignaturesForAccount, {
  item: SignatureItem,
  find: (reader, { hash }) => findAccountSignatures(reader, hash),
  present: presentSignature,
});
