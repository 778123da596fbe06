import { AccountProofV2, getCompressedAccountProofV2 } from '@fresnel/contracts/rpc';
import { accountProofV2Presenter } from '../present/account-proof.presenter';
import { defineAccountProofMethod } from './define-account-proof-method';
import { acceptAll } from './require-places';

export const GetCompressedAccountProofV2Method = defineAccountProofMethod(getCompressedAccountProofV2, {
  item: AccountProofV2,
  requirePlaces: acceptAll,
  createPresenter: accountProofV2Presenter,
});
