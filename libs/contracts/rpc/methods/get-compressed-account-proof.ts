import { type Hash } from '@fresnel/domain/primitives';
import { ONE_PROOF_COST } from '../cost';
import { defineContract, type MethodError, NOTHING_INDEXED } from '../method-contract';
import { readHash } from '../params/base58-values';
import { readMembers, required } from '../params/members';
import { AccountProof, type AccountProof as Proof } from '../schemas/account-proof';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { HashText } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT } from './example-values';

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
export const LEAF_ERRORS: readonly MethodError[] = [
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
