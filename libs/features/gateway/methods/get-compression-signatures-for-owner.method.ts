import { findOwnerSignatures } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForOwner } from '@fresnel/contracts/rpc';
import { presentSignatures } from '../present/signature-list.presenter';
import { defineMethod } from './method';

export const getCompressionSignaturesForOwnerMethod = defineMethod(
  getCompressionSignaturesForOwner,
  async ({ owner, limit, cursor }, { reader }) =>
    presentSignatures(await findOwnerSignatures(reader, owner, limit, cursor), limit),
);
