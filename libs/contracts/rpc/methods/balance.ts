import { type Pubkey } from '@fresnel/domain/primitives';
import { ONE_POINT } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { readMembers, required } from '../params/members';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { PubkeyText, U64 } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT, EXAMPLE_TOKEN_DATA } from './example-values';
import { getCompressedAccount } from './account';

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

export const getCompressedBalance = defineContract({
  ...getCompressedAccountBalance,
  name: 'getCompressedBalance',
  summary: 'Another name of getCompressedAccountBalance.',
});

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

export const getCompressedBalanceByOwner = defineContract({
  name: 'getCompressedBalanceByOwner',
  summary: 'The sum of the lamports of the unspent compressed accounts of an owner.',
  params: closedObject({ owner: PubkeyText }),
  parseParams: (params): { owner: Pubkey } => ({
    owner: required(readMembers(params, 'params', ['owner']), 'owner', readPubkey),
  }),
  result: withContext(U64),
  cost: ONE_POINT,
  errors: [{ kind: 'invalidParams', when: 'owner is not base58 of 32 bytes' }, NOTHING_INDEXED],
  example: {
    params: { owner: EXAMPLE_ACCOUNT.owner },
    result: { context: { slot: 40 }, value: EXAMPLE_ACCOUNT.lamports },
  },
});
