import { VALIDITY_PROOF_COST } from '../cost';
import { defineContract, type MethodError, NOTHING_INDEXED } from '../method-contract';
import {
  readValidityProofParams,
  readValidityProofParamsV2,
  ValidityProofParamsV1,
  ValidityProofParamsV2,
} from '../params/validity-proof';
import { ValidityProof, ValidityProofV2 } from '../schemas/validity-proof';
import { EXAMPLE_ACCOUNT, EXAMPLE_ACCOUNT_V2 } from './example-values';
import { EXAMPLE_ROOT } from './account-proof';

const EXAMPLE_VALIDITY_PROOF = {
  a: Array<number>(32).fill(1),
  b: Array<number>(64).fill(2),
  c: Array<number>(32).fill(3),
};

/** Errors of both methods for validity proofs. */
const VALIDITY_ERRORS: readonly MethodError[] = [
  {
    kind: 'invalidParams',
    when: 'the params are malformed, there is no circuit for so many accounts and addresses, or their trees have different versions',
  },
  {
    kind: 'stateError',
    when: 'an address is already in its tree or its queue, a tree is unknown or unservable, or no prover for validity proofs is configured',
  },
  NOTHING_INDEXED,
];

export const getValidityProof = defineContract({
  name: 'getValidityProof',
  summary: 'A zero-knowledge proof that accounts exist and that addresses are new, for trees of one version.',
  description: 'Consumed accounts are proven until their leaves are nullified.',
  params: ValidityProofParamsV1,
  parseParams: readValidityProofParams,
  result: ValidityProof,
  cost: VALIDITY_PROOF_COST,
  errors: [...VALIDITY_ERRORS, { kind: 'stateError', when: 'a hash is unknown, nullified, or not in its tree yet' }],
  example: {
    params: { hashes: [EXAMPLE_ACCOUNT.hash] },
    result: {
      context: { slot: 40 },
      value: {
        compressedProof: EXAMPLE_VALIDITY_PROOF,
        roots: [EXAMPLE_ROOT],
        rootIndices: [4],
        leafIndices: [0],
        leaves: [EXAMPLE_ACCOUNT.hash],
        merkleTrees: [EXAMPLE_ACCOUNT.tree],
      },
    },
  },
});

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
