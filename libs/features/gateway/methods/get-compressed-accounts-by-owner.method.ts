import { Account, getCompressedAccountsByOwner } from '@fresnel/contracts/rpc';
import { presentAccount } from '../present/account.presenter';
import { definePageMethod } from './define-method';
import { OWNER_ACCOUNT_LIST } from './owner-account-list';

export const GetCompressedAccountsByOwnerMethod = definePageMethod(getCompressedAccountsByOwner, {
  ...OWNER_ACCOUNT_LIST,
  item: Account,
  present: presentAccount,
});
