import { defineContract } from '../method-contract';
import { FoundAccountListV2 } from '../schemas/account-list';
import { withContext } from '../schemas/context';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';
import { getMultipleCompressedAccounts } from './get-multiple-compressed-accounts';

export const getMultipleCompressedAccountsV2 = defineContract({
  ...getMultipleCompressedAccounts,
  name: 'getMultipleCompressedAccountsV2',
  summary: 'Like getMultipleCompressedAccounts, with accounts in the V2 form.',
  result: withContext(FoundAccountListV2),
  example: {
    params: getMultipleCompressedAccounts.example.params,
    result: { context: { slot: 40 }, value: { items: [EXAMPLE_ACCOUNT_V2, null] } },
  },
});
