import { findAccount } from '@fresnel/adapters/store-read';
import { getCompressedAccount } from '@fresnel/contracts/rpc';
import { presentAccount } from '../present/account.presenter';
import { defineMethod } from './method';

export const getCompressedAccountMethod = defineMethod(getCompressedAccount, async (key, { reader }) => {
  const { slot, account } = await findAccount(reader, key);
  return { context: { slot }, value: account && presentAccount(account) };
});
