import { defineContract } from '../method-contract';
import { withContext } from '../schemas/context';
import { U64 } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT } from './example-values';
import { getCompressedAccount } from './get-compressed-account';

export const getCompressedAccountBalance = defineContract({
  ...getCompressedAccount,
  name: 'getCompressedAccountBalance',
  summary: 'The lamports of the unspent compressed account with the given hash or address, or 0.',
  result: withContext(U64),
  example: {
    params: getCompressedAccount.example.params,
    result: { context: { slot: 40 }, value: EXAMPLE_ACCOUNT.lamports },
  },
});
