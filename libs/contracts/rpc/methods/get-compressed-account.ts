import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { AccountKeyParams, readAccountKey } from '../params/account-key';
import { Account } from '../schemas/account';
import { withContext } from '../schemas/context';
import { nullable } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT } from './example-values';

export const getCompressedAccount = defineContract({
  name: 'getCompressedAccount',
  summary: 'The unspent compressed account with a hash or at an address; null where there is none.',
  params: AccountKeyParams,
  parseParams: readAccountKey,
  result: withContext(nullable(Account)),
  errors: [
    { kind: 'invalidParams', when: 'neither or both of hash and address are given, or one is not base58 of 32 bytes' },
    NOTHING_INDEXED,
  ],
  example: {
    params: { hash: EXAMPLE_ACCOUNT.hash },
    result: { context: { slot: 40 }, value: EXAMPLE_ACCOUNT },
  },
});
