import {
  findAccount,
  findOwnerLamports,
  findTokenBalances,
  findTokenHolders,
  type Reader,
} from '@fresnel/adapters/store-read';
import {
  CONTRACTS,
  encodeHolderCursor,
  encodeMintCursor,
  MintBalance,
  TokenHolder,
  type TokenListParams,
} from '@fresnel/contracts/rpc';
import { type Pubkey } from '@fresnel/domain/primitives';
import { presentMintBalance, presentTokenHolder } from '../present/token-holder.presenter';
import { definePageMethod, defineValueMethod } from './define-method';

const accountBalance = (contract: typeof CONTRACTS.getCompressedAccountBalance) =>
  defineValueMethod(contract, async (reader, key) => {
    const { slot, account } = await findAccount(reader, key);
    return { context: { slot }, value: account?.lamports ?? 0n };
  });

/** What the lists of a wallet's balances have in common. */
const MINT_LIST = {
  item: MintBalance,
  find: (reader: Reader, { key, mint, limit, cursor }: TokenListParams<Pubkey>) =>
    findTokenBalances(reader, key, mint, limit, cursor),
  present: presentMintBalance,
  encodeCursor: encodeMintCursor,
};

export const BALANCE_METHODS = [
  accountBalance(CONTRACTS.getCompressedAccountBalance),
  accountBalance(CONTRACTS.getCompressedBalance),
  defineValueMethod(CONTRACTS.getCompressedBalanceByOwner, async (reader, { owner }) => {
    const { slot, lamports } = await findOwnerLamports(reader, owner);
    return { context: { slot }, value: lamports };
  }),
  defineValueMethod(CONTRACTS.getCompressedTokenAccountBalance, async (reader, key) => {
    const { slot, account } = await findAccount(reader, key);
    return { context: { slot }, value: { amount: account?.token?.amount ?? 0n } };
  }),
  definePageMethod(CONTRACTS.getCompressedTokenBalancesByOwner, { ...MINT_LIST, list: 'token_balances' }),
  definePageMethod(CONTRACTS.getCompressedTokenBalancesByOwnerV2, MINT_LIST),
  definePageMethod(CONTRACTS.getCompressedMintTokenHolders, {
    item: TokenHolder,
    find: (reader, { mint, limit, cursor }) => findTokenHolders(reader, mint, limit, cursor),
    present: presentTokenHolder,
    encodeCursor: encodeHolderCursor,
  }),
];
