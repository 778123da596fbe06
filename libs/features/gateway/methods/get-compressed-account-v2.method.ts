import { findAccount } from '@fresnel/adapters/store-read';
import { getCompressedAccountV2 } from '@fresnel/contracts/rpc';
import { presentCurrentAccountV2 } from '../present/account.presenter';
import { defineValueMethod } from './define-method';

export const GetCompressedAccountV2Method = defineValueMethod(getCompressedAccountV2, async (reader, key) => {
  const { slot, account } = await findAccount(reader, key);
  return { context: { slot }, value: account && presentCurrentAccountV2(account) };
});
