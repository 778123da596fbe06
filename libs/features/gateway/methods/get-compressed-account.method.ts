import { findAccount } from '@fresnel/adapters/store-read';
import { getCompressedAccount } from '@fresnel/contracts/rpc';
import { presentAccount } from '../present/account.presenter';
import { defineValueMethod } from './define-method';

export const GetCompressedAccountMethod = defineValueMethod(getCompressedAccount, async (reader, key) => {
  const { slot, account } = await findAccount(reader, key);
  return { context: { slot }, value: account && presentAccount(account) };
});
