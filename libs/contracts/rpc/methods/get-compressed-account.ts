import { ONE_POINT } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { AccountKeyParams, readAccountKey } from '../params/account-key';
import { Account } from '../schemas/account';
import { withContext } from '../schemas/context';
import { nullable } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT } from './example-values';

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
