import { type Static, Type } from 'typebox';
import { withContext } from '../schemas/context';
import { defineContract } from '../method-contract';
import { closedObject } from '../schemas/closed-object';
import { SignatureItem } from '../schemas/signature-list';
import { EXAMPLE_BLOCK_TIME, EXAMPLE_SIGNATURE } from './example-values';
import { getLatestCompressionSignatures } from './get-latest-compression-signatures';

export const NonVotingSignature = closedObject(
  {
    ...SignatureItem.properties,
    error: Type.Null({ description: 'Always null: transactions that failed are not listed.' }),
  },
  { title: 'NonVotingSignature' },
);

export type NonVotingSignature = Static<typeof NonVotingSignature>;

export const getLatestNonVotingSignatures = defineContract({
  ...getLatestCompressionSignatures,
  name: 'getLatestNonVotingSignatures',
  summary: 'The transactions that succeeded and are not votes, with and without compression, newest first.',
  description:
    'Only the newest transactions are stored, and of a block the last 1,000. The result has no cursor; `cursor` is one of ' +
    '`getLatestCompressionSignatures`.',
  result: withContext(closedObject({ items: Type.Array(NonVotingSignature) }, { title: 'NonVotingSignatureList' })),
  errors: [
    ...getLatestCompressionSignatures.errors,
    {
      kind: 'stateError',
      when: 'the index is catching up, or its stream of blocks omits transactions without compression',
    },
  ],
  example: {
    params: { limit: 10 },
    result: {
      context: { slot: 40 },
      value: { items: [{ signature: EXAMPLE_SIGNATURE, slot: 40, blockTime: EXAMPLE_BLOCK_TIME, error: null }] },
    },
  },
});
