import { type Static, Type } from 'typebox';
import { MerkleContext } from './account-v2';
import { closedObject } from './closed-object';
import { withContext } from './context';
import { HashText, nullable, PubkeyText, SmallInteger } from './scalars';

function bytes(length: number) {
  return Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { minItems: length, maxItems: length });
}

const CompressedProofBytes = closedObject(
  { a: bytes(32), b: bytes(64), c: bytes(32) },
  { title: 'CompressedProof', description: 'A Groth16 proof with compressed points, as the chain verifies it.' },
);

const RootIndex = Type.Integer({
  description: "Where the tree's account stores the root: rootSeq modulo the length of its root history.",
  minimum: 0,
});

export const ValidityProofValue = closedObject(
  {
    compressedProof: CompressedProofBytes,
    roots: Type.Array(HashText),
    rootIndices: Type.Array(RootIndex),
    leafIndices: Type.Array(SmallInteger),
    leaves: Type.Array(HashText),
    merkleTrees: Type.Array(PubkeyText),
  },
  {
    title: 'ValidityProof',
    description:
      'Each list has the accounts first, and then the addresses: their leaf index is that of the low element.',
  },
);

const ProvenAccount = closedObject(
  {
    hash: HashText,
    root: HashText,
    rootIndex: closedObject({ rootIndex: RootIndex, proveByIndex: Type.Boolean() }, { title: 'AccountRootIndex' }),
    leafIndex: SmallInteger,
    merkleContext: MerkleContext,
  },
  { title: 'ProvenAccount' },
);

const ProvenAddress = closedObject(
  { address: PubkeyText, root: HashText, rootIndex: RootIndex, merkleContext: MerkleContext },
  { title: 'ProvenAddress' },
);

export const ValidityProofV2Value = closedObject(
  {
    compressedProof: nullable(CompressedProofBytes),
    accounts: Type.Array(ProvenAccount),
    addresses: Type.Array(ProvenAddress),
  },
  {
    title: 'ValidityProofV2',
    description: 'The proof is null if all accounts are in an output queue: programs check them by their leaf index.',
  },
);

export const ValidityProof = withContext(ValidityProofValue);
export const ValidityProofV2 = withContext(ValidityProofV2Value);

export type ValidityProofValue = Static<typeof ValidityProofValue>;
export type ValidityProofV2Value = Static<typeof ValidityProofV2Value>;
