import { findAccount } from '@fresnel/adapters/store-read';
import { getCompressedTokenAccountBalance } from '@fresnel/contracts/rpc';
import { defineValueMethod } from './define-method';

export const GetCompressedTokenAccountBalanceMethod = defineValueMethod(
  getCompressedTokenAccountBalance,
  async (reader, key) => {
    const { slot, account } = await findAccount(reader, key);
    return { context: { slot }, value: { amount: account?.token?.amount ?? 0n } };
  },
);
