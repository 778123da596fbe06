import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { withContext } from './context';
import { HashText, PubkeyText, SmallInteger, U64 } from './scalars';

/** Most addresses of one request. */
export const MAX_ADDRESSES = 1000;

export const NewAddressProofItem = closedObject(
  {
    address: PubkeyText,
    lowerRangeAddress: PubkeyText,
    higherRangeAddress: PubkeyText,
    lowElementLeafIndex: SmallInteger,
    nextIndex: Type.Integer({ description: 'Leaf index of the element above the address.', minimum: 0 }),
    merkleTree: PubkeyText,
    proof: Type.Array(HashText, { description: "Siblings of the lower element's leaf, leaf level first." }),
    root: HashText,
    rootSeq: U64,
  },
  { title: 'NewAddressProof', description: 'That an address is not in an address tree.' },
);

export const NewAddressProofList = withContext(Type.Array(NewAddressProofItem));

export type NewAddressProofItem = Static<typeof NewAddressProofItem>;
