import { findBlockSignatures } from '@fresnel/adapters/store-read';
import { getLatestNonVotingSignatures, NonVotingSignature } from '@fresnel/contracts/rpc';
import { presentSignature } from '../present/signature.presenter';
import { defineListMethod } from './define-method';

export const GetLatestNonVotingSignaturesMethod = defineListMethod(getLatestNonVotingSignatures, {
  item: NonVotingSignature,
  find: (reader, { limit, cursor }) => findBlockSignatures(reader, limit, cursor),
  present: (record): NonVotingSignature => ({ ...presentSignature(record), error: null }),
});
