import { findAccount } from '@fresnel/adapters/store-read';
import { getCompressedAccountBalance } from '@fresnel/contracts/rpc';
import { defineValueMethod } from './define-method';

export const GetCompressedAccountBalanceMethod = defineValueMethod(getCompressedAccountBalance, async (reader, key) => {
  const { slot, account } = await findAccount(reader, key);
  return { context: { slot }, value: account?.lamports ?? 0n };
});
