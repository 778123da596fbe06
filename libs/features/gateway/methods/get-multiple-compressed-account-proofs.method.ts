import { AccountProof, getMultipleCompressedAccountProofs } from '@fresnel/contracts/rpc';
import { accountProofPresenter } from '../present/account-proof.presenter';
import { defineAccountProofsMethod } from './define-account-proof-method';
import { requireAppended } from './require-places';

export const GetMultipleCompressedAccountProofsMethod = defineAccountProofsMethod(getMultipleCompressedAccountProofs, {
  item: AccountProof,
  requirePlaces: requireAppended,
  createPresenter: accountProofPresenter,
});
