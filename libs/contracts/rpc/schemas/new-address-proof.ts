import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { withContext } from './context';
import { HashText, PubkeyText, SmallInteger, U64 } from './scalars';

/** Maximum number of addresses in one request. */
export const MAX_ADDRESSES = 1000;
/** Maximum number of trees in one request. Each is a request to a prover. */
export const MAX_TREES = 10;

export const NewAddressProofItem = closedObject(
  {
    address: PubkeyText,
    lowerRangeAddress: PubkeyText,
    higherRangeAddress: PubkeyText,
    lowElementLeafIndex: SmallInteger,
    nextIndex: Type.Integer({ description: 'Leaf index of the element with `higherRangeAddress`.', minimum: 0 }),
    merkleTree: PubkeyText,
    proof: Type.Array(HashText, { description: 'Merkle path of the low element: its siblings, leaf level first.' }),
    root: HashText,
    rootSeq: U64,
  },
  {
    title: 'NewAddressProof',
    description:
      'A proof that an address is not in an address tree: the low element, which is its predecessor, with its Merkle path.',
  },
);

export const NewAddressProofList = withContext(Type.Array(NewAddressProofItem));

export type NewAddressProofItem = Static<typeof NewAddressProofItem>;
