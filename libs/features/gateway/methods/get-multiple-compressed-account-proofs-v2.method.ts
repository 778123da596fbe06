import { AccountProofV2, getMultipleCompressedAccountProofsV2 } from '@fresnel/contracts/rpc';
import { accountProofV2Presenter } from '../present/account-proof.presenter';
import { defineAccountProofsMethod } from './define-account-proof-method';
import { acceptAll } from './require-places';

export const GetMultipleCompressedAccountProofsV2Method = defineAccountProofsMethod(
  getMultipleCompressedAccountProofsV2,
  {
    item: AccountProofV2,
    requirePlaces: acceptAll,
    createPresenter: accountProofV2Presenter,
  },
);
