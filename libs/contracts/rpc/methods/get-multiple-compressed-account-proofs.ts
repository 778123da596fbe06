import { type Hash } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { PROOFS_COST } from '../cost';
import { defineContract } from '../method-contract';
import { readHashList } from '../params/hashes';
import { AccountProof, MAX_HASHES } from '../schemas/account-proof';
import { withContext } from '../schemas/context';
import { HashText } from '../schemas/scalars';
import { getCompressedAccountProof, LEAF_ERRORS } from './get-compressed-account-proof';

const { value: EXAMPLE } = getCompressedAccountProof.example.result;

export const getMultipleCompressedAccountProofs = defineContract({
  name: 'getMultipleCompressedAccountProofs',
  summary: 'The Merkle paths of the compressed accounts with the given hashes, in the order of the request.',
  description: 'All paths in one tree have the same root.',
  params: Type.Array(HashText, { maxItems: MAX_HASHES }),
  parseParams: (params): Hash[] => readHashList(params, 'params'),
  result: withContext(Type.Array(AccountProof)),
  cost: PROOFS_COST,
  errors: [{ kind: 'invalidParams', when: `params is not an array of at most ${MAX_HASHES} hashes` }, ...LEAF_ERRORS],
  example: { params: [EXAMPLE.hash], result: { context: { slot: 40 }, value: [EXAMPLE] } },
});
