import { ACCOUNTS_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { AccountKeysParams, readAccountKeys } from '../params/account-keys';
import { FoundAccountList, MAX_ACCOUNTS } from '../schemas/account-list';
import { withContext } from '../schemas/context';
import { EXAMPLE_ACCOUNT } from './example-values';

export const getMultipleCompressedAccounts = defineContract({
  name: 'getMultipleCompressedAccounts',
  summary: 'The unspent compressed accounts with the given hashes or addresses, in the order of the request.',
  description: 'An account that does not exist or is spent is null. A key that is repeated is answered each time.',
  params: AccountKeysParams,
  parseParams: readAccountKeys,
  result: withContext(FoundAccountList),
  cost: ACCOUNTS_COST,
  errors: [
    {
      kind: 'invalidParams',
      when: `not exactly one of hashes and addresses is set, it has more than ${MAX_ACCOUNTS} items, or one is not base58 of 32 bytes`,
    },
    NOTHING_INDEXED,
  ],
  example: {
    params: { hashes: [EXAMPLE_ACCOUNT.hash, EXAMPLE_ACCOUNT.tree] },
    result: { context: { slot: 40 }, value: { items: [EXAMPLE_ACCOUNT, null] } },
  },
});
