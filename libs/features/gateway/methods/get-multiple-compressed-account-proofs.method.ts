import { AccountProof, getMultipleCompressedAccountProofs } from '@fresnel/contracts/rpc';
import { accountProofPresenter } from '../present/account-proof.presenter';
import { defineAccountProofsMethod } from './define-account-proof-method';

export const GetMultipleCompressedAccountProofsMethod = defineAccountProofsMethod(getMultipleCompressedAccountProofs, {
  item: AccountProof,
  provesByIndex: false,
  createPresenter: accountProofPresenter,
});
