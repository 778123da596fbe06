import { type Static, Type } from 'typebox';
import { ACCOUNT_MEMBERS } from './account';
import { closedObject } from './closed-object';
import { nullable, PubkeyText } from './scalars';

const TREE_MEMBERS = {
  treeType: Type.Integer({
    description: '1 = StateV1, 2 = AddressV1, 3 = StateV2, 4 = AddressV2',
    minimum: 1,
    maximum: 4,
  }),
  tree: PubkeyText,
  queue: PubkeyText,
  cpiContext: nullable(PubkeyText),
};

export const TreeContext = closedObject(TREE_MEMBERS, { title: 'TreeContext' });

export const MerkleContext = closedObject(
  { ...TREE_MEMBERS, nextTreeContext: nullable(TreeContext) },
  { title: 'MerkleContext', description: 'The state tree and output queue of an account.' },
);

export const AccountV2 = closedObject(
  {
    ...ACCOUNT_MEMBERS,
    proveByIndex: Type.Boolean({
      description:
        'True if the account is still in the output queue: the program checks it by its leaf index, without a Merkle proof.',
    }),
    merkleContext: MerkleContext,
  },
  { title: 'AccountV2', description: 'A compressed account with its tree and queue.' },
);

export type AccountV2 = Static<typeof AccountV2>;
