import { type Pubkey } from '@fresnel/domain/primitives';
import { ONE_POINT } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { readMembers, required } from '../params/members';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { PubkeyText, U64 } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT } from './example-values';

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
