import { findAccounts } from '@fresnel/adapters/store-read';
import { FoundAccountV2, getMultipleCompressedAccountsV2 } from '@fresnel/contracts/rpc';
import { presentCurrentAccountV2 } from '../present/account.presenter';
import { defineListMethod } from './define-method';

export const GetMultipleCompressedAccountsV2Method = defineListMethod(getMultipleCompressedAccountsV2, {
  item: FoundAccountV2,
  find: findAccounts,
  present: (account) => account && presentCurrentAccountV2(account),
});
