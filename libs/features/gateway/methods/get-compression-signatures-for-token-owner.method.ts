import { findTokenOwnerSignatures } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForTokenOwner } from '@fresnel/contracts/rpc';
import { presentSignatures } from '../present/signature-list.presenter';
import { defineMethod } from './method';

export const getCompressionSignaturesForTokenOwnerMethod = defineMethod(
  getCompressionSignaturesForTokenOwner,
  async ({ owner, limit, cursor }, { reader }) =>
    presentSignatures(await findTokenOwnerSignatures(reader, owner, limit, cursor), limit),
);
