import { findTokenAccounts } from '@fresnel/adapters/store-read';
import { getCompressedTokenAccountsByDelegate } from '@fresnel/contracts/rpc';
import { definePageMethod } from './define-method';
import { TOKEN_ACCOUNT_LIST } from './token-account-list';

export const GetCompressedTokenAccountsByDelegateMethod = definePageMethod(getCompressedTokenAccountsByDelegate, {
  ...TOKEN_ACCOUNT_LIST,
  find: (reader, { key, mint, limit, cursor }) => findTokenAccounts(reader, 'delegate', key, mint, limit, cursor),
});
