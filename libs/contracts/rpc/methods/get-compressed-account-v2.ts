import { ONE_POINT } from '../cost';
import { defineContract } from '../method-contract';
import { AccountV2 } from '../schemas/account-v2';
import { withContext } from '../schemas/context';
import { nullable } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';
import { getCompressedAccount } from './get-compressed-account';

export const getCompressedAccountV2 = defineContract({
  name: 'getCompressedAccountV2',
  summary: 'Like getCompressedAccount, with the state tree, its queue, and whether the account is still in the queue.',
  params: getCompressedAccount.params,
  parseParams: getCompressedAccount.parseParams,
  result: withContext(nullable(AccountV2)),
  cost: ONE_POINT,
  errors: getCompressedAccount.errors,
  example: {
    params: getCompressedAccount.example.params,
    result: { context: { slot: 40 }, value: EXAMPLE_ACCOUNT_V2 },
  },
});
