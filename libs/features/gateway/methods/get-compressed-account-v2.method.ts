import { findAccount } from '@fresnel/adapters/store-read';
import { getCompressedAccountV2 } from '@fresnel/contracts/rpc';
import { presentAccountV2 } from '../present/account.presenter';
import { defineMethod } from './method';

export const getCompressedAccountV2Method = defineMethod(getCompressedAccountV2, async (key, { reader }) => {
  const { slot, account } = await findAccount(reader, key);
  return { context: { slot }, value: account && presentAccountV2(account, account.isQueued) };
});
