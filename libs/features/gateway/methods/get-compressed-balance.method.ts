import { findAccount } from '@fresnel/adapters/store-read';
import { getCompressedBalance } from '@fresnel/contracts/rpc';
import { defineValueMethod } from './define-method';

export const GetCompressedBalanceMethod = defineValueMethod(getCompressedBalance, async (reader, key) => {
  const { slot, account } = await findAccount(reader, key);
  return { context: { slot }, value: account?.lamports ?? 0n };
});
