import { ACCOUNTS_COST, ONE_POINT } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { AccountKeyParams, readAccountKey } from '../params/account-key';
import { AccountKeysParams, readAccountKeys } from '../params/account-keys';
import { Account } from '../schemas/account';
import { FoundAccountList, FoundAccountListV2, MAX_ACCOUNTS } from '../schemas/account-list';
import { AccountV2 } from '../schemas/account-v2';
import { withContext } from '../schemas/context';
import { nullable } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT, EXAMPLE_ACCOUNT_V2 } from './example-values';

export const getCompressedAccount = defineContract({
  name: 'getCompressedAccount',
  summary: 'The unspent compressed account with the given hash or address, or null.',
  params: AccountKeyParams,
  parseParams: readAccountKey,
  result: withContext(nullable(Account)),
  cost: ONE_POINT,
  errors: [
    {
      kind: 'invalidParams',
      when: 'not exactly one of hash and address is set, or its value is not base58 of 32 bytes',
    },
    NOTHING_INDEXED,
  ],
  example: {
    params: { hash: EXAMPLE_ACCOUNT.hash },
    result: { context: { slot: 40 }, value: EXAMPLE_ACCOUNT },
  },
});

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
