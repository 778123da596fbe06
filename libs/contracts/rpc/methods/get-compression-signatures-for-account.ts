import { type Hash } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { ONE_POINT } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readHash } from '../params/base58-values';
import { readMembers, required } from '../params/members';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { HashText } from '../schemas/scalars';
import { SignatureItem } from '../schemas/signature-list';
import { EXAMPLE_ACCOUNT, EXAMPLE_BLOCK_TIME, EXAMPLE_SIGNATURE } from './example-values';

export const getCompressionSignaturesForAccount = defineContract({
  name: 'getCompressionSignaturesForAccount',
  summary: 'The transactions that created and consumed the compressed account with the given hash, newest first.',
  description: 'The list is empty for an unknown hash.',
  params: closedObject({ hash: HashText }),
  parseParams: (params): { hash: Hash } => ({
    hash: required(readMembers(params, 'params', ['hash']), 'hash', readHash),
  }),
  result: withContext(closedObject({ items: Type.Array(SignatureItem) }, { title: 'AccountSignatureList' })),
  cost: ONE_POINT,
  errors: [{ kind: 'invalidParams', when: 'hash is not base58 of 32 bytes' }, NOTHING_INDEXED],
  example: {
    params: { hash: EXAMPLE_ACCOUNT.hash },
    result: {
      context: { slot: 40 },
      value: { items: [{ signature: EXAMPLE_SIGNATURE, slot: 40, blockTime: EXAMPLE_BLOCK_TIME }] },
    },
  },
});
