import {
  findTokenAccounts,
  type Reader,
  type TokenAccountPosition,
  type TokenAccountRecord,
} from '@fresnel/adapters/store-read';
import {
  CONTRACTS,
  encodeTokenAccountCursor,
  TokenAccount,
  TokenAccountV2,
  type TokenListParams,
} from '@fresnel/contracts/rpc';
import { presentTokenAccount, presentTokenAccountV2 } from '../present/token-account.presenter';
import { definePageMethod } from './define-method';

const encodeCursor = ({ hash, token: { mint } }: TokenAccountRecord) => encodeTokenAccountCursor({ mint, hash });

const V1 = { item: TokenAccount, present: presentTokenAccount, encodeCursor };
const V2 = { item: TokenAccountV2, present: presentTokenAccountV2, encodeCursor };

const findBy =
  (column: 'token_owner' | 'delegate') =>
  (reader: Reader, { key, mint, limit, cursor }: TokenListParams<TokenAccountPosition>) =>
    findTokenAccounts(reader, column, key, mint, limit, cursor);

export const TOKEN_ACCOUNT_METHODS = [
  definePageMethod(CONTRACTS.getCompressedTokenAccountsByOwner, { ...V1, find: findBy('token_owner') }),
  definePageMethod(CONTRACTS.getCompressedTokenAccountsByOwnerV2, { ...V2, find: findBy('token_owner') }),
  definePageMethod(CONTRACTS.getCompressedTokenAccountsByDelegate, { ...V1, find: findBy('delegate') }),
  definePageMethod(CONTRACTS.getCompressedTokenAccountsByDelegateV2, { ...V2, find: findBy('delegate') }),
];
