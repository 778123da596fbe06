import { AccountV2, getCompressedAccountsByOwnerV2 } from '@fresnel/contracts/rpc';
import { presentCurrentAccountV2 } from '../present/account.presenter';
import { definePageMethod } from './define-method';
import { OWNER_ACCOUNT_LIST } from './owner-account-list';

export const GetCompressedAccountsByOwnerV2Method = definePageMethod(getCompressedAccountsByOwnerV2, {
  ...OWNER_ACCOUNT_LIST,
  item: AccountV2,
  present: presentCurrentAccountV2,
});
