import { findTokenAccounts } from '@fresnel/adapters/store-read';
import { getCompressedTokenAccountsByDelegateV2 } from '@fresnel/contracts/rpc';
import { definePageMethod } from './define-method';
import { TOKEN_ACCOUNT_LIST_V2 } from './token-account-list';

export const GetCompressedTokenAccountsByDelegateV2Method = definePageMethod(getCompressedTokenAccountsByDelegateV2, {
  ...TOKEN_ACCOUNT_LIST_V2,
  find: (reader, { key, mint, limit, cursor }) => findTokenAccounts(reader, 'delegate', key, mint, limit, cursor),
});
