import { findOwnerLamports } from '@fresnel/adapters/store-read';
import { getCompressedBalanceByOwner } from '@fresnel/contracts/rpc';
import { defineValueMethod } from './define-method';

export const GetCompressedBalanceByOwnerMethod = defineValueMethod(
  getCompressedBalanceByOwner,
  async (reader, { owner }) => {
    const { slot, lamports } = await findOwnerLamports(reader, owner);
    return { context: { slot }, value: lamports };
  },
);
