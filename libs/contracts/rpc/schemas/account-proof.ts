import { type Static, Type } from 'typebox';
import { TreeContext } from './account-v2';
import { closedObject } from './closed-object';
import { HashText, PubkeyText, SmallInteger, U64 } from './scalars';

/** Maximum number of hashes in one request. */
export const MAX_HASHES = 1000;

const MEMBERS = {
  hash: HashText,
  leafIndex: SmallInteger,
  proof: Type.Array(HashText, { description: 'Merkle path of the leaf: its siblings, leaf level first.' }),
  root: HashText,
  rootSeq: U64,
};

export const AccountProof = closedObject(
  { ...MEMBERS, merkleTree: PubkeyText },
  { title: 'AccountProof', description: 'The Merkle path from the hash of an account to a root of its state tree.' },
);

export const AccountProofV2 = closedObject(
  {
    ...MEMBERS,
    proveByIndex: Type.Boolean({
      description:
        'True if the account is still in the output queue: then the path is empty, and the root is 32 zero bytes.',
    }),
    treeContext: TreeContext,
  },
  { title: 'AccountProofV2', description: 'Like AccountProof, also for accounts in the output queue of a V2 tree.' },
);

export type AccountProof = Static<typeof AccountProof>;
export type AccountProofV2 = Static<typeof AccountProofV2>;
