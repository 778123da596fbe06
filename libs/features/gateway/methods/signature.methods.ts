import {
  findAccountSignatures,
  findAddressSignatures,
  findBlockSignatures,
  findLatestSignatures,
  findOwnerSignatures,
  findTokenOwnerSignatures,
} from '@fresnel/adapters/store-read';
import { CONTRACTS, encodeSignatureCursor, NonVotingSignature, SignatureItem } from '@fresnel/contracts/rpc';
import { presentSignature } from '../present/signature.presenter';
import { defineListMethod, definePageMethod } from './define-method';

const LIST = { item: SignatureItem, present: presentSignature };
const PAGE = { ...LIST, encodeCursor: encodeSignatureCursor };

export const SIGNATURE_METHODS = [
  definePageMethod(CONTRACTS.getCompressionSignaturesForOwner, {
    ...PAGE,
    find: (reader, { owner, limit, cursor }) => findOwnerSignatures(reader, owner, limit, cursor),
  }),
  definePageMethod(CONTRACTS.getCompressionSignaturesForTokenOwner, {
    ...PAGE,
    find: (reader, { owner, limit, cursor }) => findTokenOwnerSignatures(reader, owner, limit, cursor),
  }),
  definePageMethod(CONTRACTS.getCompressionSignaturesForAddress, {
    ...PAGE,
    find: (reader, { address, limit, cursor }) => findAddressSignatures(reader, address, limit, cursor),
  }),
  definePageMethod(CONTRACTS.getLatestCompressionSignatures, {
    ...PAGE,
    find: (reader, { limit, cursor }) => findLatestSignatures(reader, limit, cursor),
  }),
  defineListMethod(CONTRACTS.getCompressionSignaturesForAccount, {
    ...LIST,
    find: (reader, { hash }) => findAccountSignatures(reader, hash),
  }),
  defineListMethod(CONTRACTS.getLatestNonVotingSignatures, {
    item: NonVotingSignature,
    find: (reader, { limit, cursor }) => findBlockSignatures(reader, limit, cursor),
    present: (record): NonVotingSignature => ({ ...presentSignature(record), error: null }),
  }),
];
