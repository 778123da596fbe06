import { findTokenAccounts } from '@fresnel/adapters/store-read';
import { getCompressedTokenAccountsByOwnerV2 } from '@fresnel/contracts/rpc';
import { definePageMethod } from './define-method';
import { TOKEN_ACCOUNT_LIST_V2 } from './token-account-list';

export const GetCompressedTokenAccountsByOwnerV2Method = definePageMethod(getCompressedTokenAccountsByOwnerV2, {
  ...TOKEN_ACCOUNT_LIST_V2,
  find: (reader, { key, mint, limit, cursor }) => findTokenAccounts(reader, 'token_owner', key, mint, limit, cursor),
});
