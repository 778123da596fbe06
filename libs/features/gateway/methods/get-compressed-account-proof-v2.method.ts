import { AccountProofV2, getCompressedAccountProofV2 } from '@fresnel/contracts/rpc';
import { accountProofV2Presenter } from '../present/account-proof.presenter';
import { defineAccountProofMethod } from './define-account-proof-method';

export const GetCompressedAccountProofV2Method = defineAccountProofMethod(getCompressedAccountProofV2, {
  item: AccountProofV2,
  provesByIndex: true,
  createPresenter: accountProofV2Presenter,
});
