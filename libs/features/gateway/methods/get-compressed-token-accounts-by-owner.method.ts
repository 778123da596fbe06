import { findTokenAccounts } from '@fresnel/adapters/store-read';
import { getCompressedTokenAccountsByOwner } from '@fresnel/contracts/rpc';
import { definePageMethod } from './define-method';
import { TOKEN_ACCOUNT_LIST } from './token-account-list';

export const GetCompressedTokenAccountsByOwnerMethod = definePageMethod(getCompressedTokenAccountsByOwner, {
  ...TOKEN_ACCOUNT_LIST,
  find: (reader, { key, mint, limit, cursor }) => findTokenAccounts(reader, 'token_owner', key, mint, limit, cursor),
});
