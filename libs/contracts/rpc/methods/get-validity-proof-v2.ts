import { VALIDITY_PROOF_COST } from '../cost';
import { defineContract } from '../method-contract';
import { readValidityProofParamsV2, ValidityProofParamsV2 } from '../params/validity-proof';
import { ValidityProofV2 } from '../schemas/validity-proof';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';
import { EXAMPLE_ROOT } from './get-compressed-account-proof';
import { EXAMPLE_VALIDITY_PROOF, VALIDITY_ERRORS } from './get-validity-proof';

const { hash, leafIndex, merkleContext } = EXAMPLE_ACCOUNT_V2;

export const getValidityProofV2 = defineContract({
  name: 'getValidityProofV2',
  summary: 'Like getValidityProof, also for accounts in the output queues of V2 trees, which need no proof.',
  params: ValidityProofParamsV2,
  parseParams: readValidityProofParamsV2,
  result: ValidityProofV2,
  cost: VALIDITY_PROOF_COST,
  errors: [...VALIDITY_ERRORS, { kind: 'stateError', when: 'a hash is unknown or that of a consumed account' }],
  example: {
    params: { hashes: [hash] },
    result: {
      context: { slot: 40 },
      value: {
        compressedProof: EXAMPLE_VALIDITY_PROOF,
        accounts: [
          { hash, root: EXAMPLE_ROOT, rootIndex: { rootIndex: 4, proveByIndex: false }, leafIndex, merkleContext },
        ],
        addresses: [],
      },
    },
  },
});
