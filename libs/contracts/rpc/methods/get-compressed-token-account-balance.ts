import { defineContract } from '../method-contract';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { U64 } from '../schemas/scalars';
import { EXAMPLE_TOKEN_DATA } from './example-values';
import { getCompressedAccount } from './get-compressed-account';

export const getCompressedTokenAccountBalance = defineContract({
  ...getCompressedAccount,
  name: 'getCompressedTokenAccountBalance',
  summary: 'The amount of the unspent compressed token account with the given hash or address, or 0.',
  result: withContext(closedObject({ amount: U64 }, { title: 'TokenAmount' })),
  example: {
    params: getCompressedAccount.example.params,
    result: { context: { slot: 40 }, value: { amount: EXAMPLE_TOKEN_DATA.amount } },
  },
});
