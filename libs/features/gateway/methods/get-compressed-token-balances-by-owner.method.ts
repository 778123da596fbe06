import { findTokenBalances } from '@fresnel/adapters/store-read';
import { encodeMintCursor, getCompressedTokenBalancesByOwner, MintBalance } from '@fresnel/contracts/rpc';
import { presentMintBalance } from '../present/token-holder.presenter';
import { definePageMethod } from './define-method';

export const GetCompressedTokenBalancesByOwnerMethod = definePageMethod(getCompressedTokenBalancesByOwner, {
  item: MintBalance,
  find: (reader, { key, mint, limit, cursor }) => findTokenBalances(reader, key, mint, limit, cursor),
  present: presentMintBalance,
  encodeCursor: encodeMintCursor,
  list: 'token_balances',
});
