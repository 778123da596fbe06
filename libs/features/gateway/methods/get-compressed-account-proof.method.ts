import { AccountProof, getCompressedAccountProof } from '@fresnel/contracts/rpc';
import { accountProofPresenter } from '../present/account-proof.presenter';
import { defineAccountProofMethod } from './define-account-proof-method';
import { requireAppended } from './require-places';

export const GetCompressedAccountProofMethod = defineAccountProofMethod(getCompressedAccountProof, {
  item: AccountProof,
  requirePlaces: requireAppended,
  createPresenter: accountProofPresenter,
});
