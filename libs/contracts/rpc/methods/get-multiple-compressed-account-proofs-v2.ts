import { Type } from 'typebox';
import { defineContract } from '../method-contract';
import { AccountProofV2 } from '../schemas/account-proof';
import { withContext } from '../schemas/context';
import { getCompressedAccountProofV2 } from './get-compressed-account-proof-v2';
import { getMultipleCompressedAccountProofs } from './get-multiple-compressed-account-proofs';

export const getMultipleCompressedAccountProofsV2 = defineContract({
  ...getMultipleCompressedAccountProofs,
  name: 'getMultipleCompressedAccountProofsV2',
  summary: 'Like getMultipleCompressedAccountProofs, also for accounts in the output queues of V2 trees.',
  result: withContext(Type.Array(AccountProofV2)),
  example: {
    params: getMultipleCompressedAccountProofs.example.params,
    result: { context: { slot: 40 }, value: [getCompressedAccountProofV2.example.result.value] },
  },
});
