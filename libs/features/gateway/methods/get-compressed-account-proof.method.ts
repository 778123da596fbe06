import { AccountProof, getCompressedAccountProof } from '@fresnel/contracts/rpc';
import { accountProofPresenter } from '../present/account-proof.presenter';
import { defineAccountProofMethod } from './define-account-proof-method';

export const GetCompressedAccountProofMethod = defineAccountProofMethod(getCompressedAccountProof, {
  item: AccountProof,
  provesByIndex: false,
  createPresenter: accountProofPresenter,
});
