import { findAccounts } from '@fresnel/adapters/store-read';
import { FoundAccount, getMultipleCompressedAccounts } from '@fresnel/contracts/rpc';
import { presentAccount } from '../present/account.presenter';
import { defineListMethod } from './define-method';

export const GetMultipleCompressedAccountsMethod = defineListMethod(getMultipleCompressedAccounts, {
  item: FoundAccount,
  find: findAccounts,
  present: (account) => account && presentAccount(account),
});
