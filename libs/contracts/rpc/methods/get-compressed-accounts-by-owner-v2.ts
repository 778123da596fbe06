import { defineContract } from '../method-contract';
import { AccountPageV2 } from '../schemas/account-page';
import { withContext } from '../schemas/context';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';
import { getCompressedAccountsByOwner } from './get-compressed-accounts-by-owner';

export const getCompressedAccountsByOwnerV2 = defineContract({
  ...getCompressedAccountsByOwner,
  name: 'getCompressedAccountsByOwnerV2',
  summary: 'Like getCompressedAccountsByOwner, with accounts in the V2 form.',
  result: withContext(AccountPageV2),
  example: {
    params: getCompressedAccountsByOwner.example.params,
    result: { context: { slot: 40 }, value: { items: [EXAMPLE_ACCOUNT_V2], cursor: null } },
  },
});
