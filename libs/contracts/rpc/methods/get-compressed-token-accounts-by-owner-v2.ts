import { defineContract } from '../method-contract';
import { withContext } from '../schemas/context';
import { TokenAccountListV2 } from '../schemas/token-account-list';
import { EXAMPLE_ACCOUNT_V2, EXAMPLE_TOKEN_DATA } from './example-values';
import { getCompressedTokenAccountsByOwner } from './get-compressed-token-accounts-by-owner';

export const getCompressedTokenAccountsByOwnerV2 = defineContract({
  ...getCompressedTokenAccountsByOwner,
  name: 'getCompressedTokenAccountsByOwnerV2',
  summary: 'Like getCompressedTokenAccountsByOwner, with accounts in the V2 form.',
  result: withContext(TokenAccountListV2),
  example: {
    params: getCompressedTokenAccountsByOwner.example.params,
    result: {
      context: { slot: 40 },
      value: { items: [{ account: EXAMPLE_ACCOUNT_V2, tokenData: EXAMPLE_TOKEN_DATA }], cursor: null },
    },
  },
});
