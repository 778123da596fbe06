import { type Hash } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { ONE_PROOF_COST, PROOFS_COST } from '../cost';
import { defineContract, type MethodError, NOTHING_INDEXED } from '../method-contract';
import { readHash } from '../params/base58-values';
import { readHashList } from '../params/hashes';
import { readMembers, required } from '../params/members';
import { AccountProof, type AccountProof as Proof, AccountProofV2, MAX_HASHES } from '../schemas/account-proof';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { HashText } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT, EXAMPLE_ACCOUNT_V2 } from './example-values';

/** Shortened: a tree of height 26 has 26 siblings. */
export const EXAMPLE_PATH = [
  '3n89mnZ5hroMtKMHtXCpv9gTwZ1ydDqbVyoCwAVE9CyY',
  '3CFKteYSRSkp9EGFPzibgzCPtNuJ5HeZ31fAsBpgcHwZ',
];
export const EXAMPLE_ROOT = '433kYLWvdMNY8SVGamZakDQFNZRu569gR37RxrM4Q4Vk';

const EXAMPLE: Proof = {
  hash: EXAMPLE_ACCOUNT.hash,
  leafIndex: 0,
  merkleTree: EXAMPLE_ACCOUNT.tree,
  proof: EXAMPLE_PATH,
  root: EXAMPLE_ROOT,
  rootSeq: 4n,
};

/** Errors of all methods for inclusion proofs. */
const LEAF_ERRORS: readonly MethodError[] = [
  {
    kind: 'stateError',
    when: 'a hash is unknown, nullified, or not in its tree yet, or the tree is unknown or unservable',
  },
  NOTHING_INDEXED,
];

export const getCompressedAccountProof = defineContract({
  name: 'getCompressedAccountProof',
  summary: 'The Merkle path of the compressed account with the given hash.',
  description:
    'A consumed account has a path until its leaf is nullified. rootSeq is the sequence number of the root on the chain.',
  params: closedObject({ hash: HashText }),
  parseParams: (params): { hash: Hash } => ({
    hash: required(readMembers(params, 'params', ['hash']), 'hash', readHash),
  }),
  result: withContext(AccountProof),
  cost: ONE_PROOF_COST,
  errors: [{ kind: 'invalidParams', when: 'hash is not base58 of 32 bytes' }, ...LEAF_ERRORS],
  example: { params: { hash: EXAMPLE.hash }, result: { context: { slot: 40 }, value: EXAMPLE } },
});

const { treeType, tree, queue, cpiContext } = EXAMPLE_ACCOUNT_V2.merkleContext;
const { hash, leafIndex, proof, root, rootSeq } = EXAMPLE;
const EXAMPLE_V2 = {
  ...{ hash, leafIndex, proof, root, rootSeq },
  proveByIndex: false,
  treeContext: { treeType, tree, queue, cpiContext },
};

export const getCompressedAccountProofV2 = defineContract({
  ...getCompressedAccountProof,
  name: 'getCompressedAccountProofV2',
  summary: 'Like getCompressedAccountProof, also for an account in the output queue of a V2 tree.',
  result: withContext(AccountProofV2),
  example: {
    params: getCompressedAccountProof.example.params,
    result: { context: { slot: 40 }, value: EXAMPLE_V2 },
  },
});

export const getMultipleCompressedAccountProofs = defineContract({
  name: 'getMultipleCompressedAccountProofs',
  summary: 'The Merkle paths of the compressed accounts with the given hashes, in the order of the request.',
  description: 'All paths in one tree have the same root.',
  params: Type.Array(HashText, { maxItems: MAX_HASHES }),
  positions: ['hash'],
  parseParams: (params): Hash[] => readHashList(params, 'params'),
  result: withContext(Type.Array(AccountProof)),
  cost: PROOFS_COST,
  errors: [{ kind: 'invalidParams', when: `params is not an array of at most ${MAX_HASHES} hashes` }, ...LEAF_ERRORS],
  example: { params: [EXAMPLE.hash], result: { context: { slot: 40 }, value: [EXAMPLE] } },
});

export const getMultipleCompressedAccountProofsV2 = defineContract({
  ...getMultipleCompressedAccountProofs,
  name: 'getMultipleCompressedAccountProofsV2',
  summary: 'Like getMultipleCompressedAccountProofs, also for accounts in the output queues of V2 trees.',
  result: withContext(Type.Array(AccountProofV2)),
  example: {
    params: getMultipleCompressedAccountProofs.example.params,
    result: { context: { slot: 40 }, value: [EXAMPLE_V2] },
  },
});
