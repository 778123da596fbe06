import { defineContract } from '../method-contract';
import { AccountProofV2 } from '../schemas/account-proof';
import { withContext } from '../schemas/context';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';
import { getCompressedAccountProof } from './get-compressed-account-proof';

const { treeType, tree, queue, cpiContext } = EXAMPLE_ACCOUNT_V2.merkleContext;
const { hash, leafIndex, proof, root, rootSeq } = getCompressedAccountProof.example.result.value;
const EXAMPLE = { hash, leafIndex, proof, root, rootSeq };

export const getCompressedAccountProofV2 = defineContract({
  ...getCompressedAccountProof,
  name: 'getCompressedAccountProofV2',
  summary: 'Like getCompressedAccountProof, also for an account in the output queue of a V2 tree.',
  result: withContext(AccountProofV2),
  example: {
    params: getCompressedAccountProof.example.params,
    result: {
      context: { slot: 40 },
      value: { ...EXAMPLE, proveByIndex: false, treeContext: { treeType, tree, queue, cpiContext } },
    },
  },
});
