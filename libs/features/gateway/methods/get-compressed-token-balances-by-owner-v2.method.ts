import { findTokenBalances } from '@fresnel/adapters/store-read';
import { encodeMintCursor, getCompressedTokenBalancesByOwnerV2, MintBalance } from '@fresnel/contracts/rpc';
import { presentMintBalance } from '../present/token-holder.presenter';
import { definePageMethod } from './define-method';

export const GetCompressedTokenBalancesByOwnerV2Method = definePageMethod(getCompressedTokenBalancesByOwnerV2, {
  item: MintBalance,
  find: (reader, { key, mint, limit, cursor }) => findTokenBalances(reader, key, mint, limit, cursor),
  present: presentMintBalance,
  encodeCursor: encodeMintCursor,
});
