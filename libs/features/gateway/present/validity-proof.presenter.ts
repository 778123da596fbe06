import { type TreeRecord } from '@fresnel/adapters/store-read';
import { type ValidityProofV2Value, type ValidityProofValue } from '@fresnel/contracts/rpc';
import { type Hash, type Pubkey, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { TREE_TYPES } from '@fresnel/domain/trees';
import { type CompressedProof } from '@fresnel/domain/trees/validity-proofs';
import { type ProvenLeaf } from './account-proof.presenter';

/** An address with the proof that it is new. */
export interface AddressToPresent {
  tree: TreeRecord;
  root: Hash;
  rootSeq: bigint;
  proof: { address: Hash; lowElementLeafIndex: number };
}

/** @param accounts with a path */
export function presentValidityProof(
  proof: CompressedProof,
  accounts: readonly ProvenLeaf[],
  addresses: readonly AddressToPresent[],
): ValidityProofValue {
  const parts = [
    ...accounts.map(({ place, path }) => ({
      root: path?.root ?? ZERO_HASH,
      rootIndex: rootIndexOf(path?.rootSeq ?? 0n, place),
      leafIndex: place.leafIndex,
      leaf: place.hash,
      tree: place.tree,
    })),
    ...addresses.map(({ root, rootSeq, tree, proof: { address, lowElementLeafIndex } }) => ({
      root,
      rootIndex: rootIndexOf(rootSeq, tree),
      leafIndex: lowElementLeafIndex,
      leaf: address,
      tree: tree.tree,
    })),
  ];
  return {
    compressedProof: presentProof(proof),
    roots: parts.map(({ root }) => toBase58(root)),
    rootIndices: parts.map(({ rootIndex }) => rootIndex),
    leafIndices: parts.map(({ leafIndex }) => leafIndex),
    leaves: parts.map(({ leaf }) => toBase58(leaf)),
    merkleTrees: parts.map(({ tree }) => toBase58(tree)),
  };
}

/** @param proof null if all accounts are in an output queue */
export function presentValidityProofV2(
  proof: CompressedProof | null,
  accounts: readonly ProvenLeaf[],
  addresses: readonly AddressToPresent[],
): ValidityProofV2Value {
  return {
    compressedProof: proof && presentProof(proof),
    accounts: accounts.map(({ place, path }) => ({
      hash: toBase58(place.hash),
      root: toBase58(path?.root ?? ZERO_HASH),
      rootIndex: { rootIndex: path ? rootIndexOf(path.rootSeq, place) : 0, proveByIndex: path === null },
      leafIndex: place.leafIndex,
      merkleContext: merkleContextOf(place),
    })),
    addresses: addresses.map(({ tree, root, rootSeq, proof: { address } }) => ({
      address: toBase58(address),
      root: toBase58(root),
      rootIndex: rootIndexOf(rootSeq, tree),
      merkleContext: merkleContextOf(tree),
    })),
  };
}

function presentProof({ a, b, c }: CompressedProof): ValidityProofValue['compressedProof'] {
  return { a: [...a], b: [...b], c: [...c] };
}

function rootIndexOf(rootSeq: bigint, { rootHistoryCapacity }: Pick<TreeRecord, 'rootHistoryCapacity'>): number {
  return Number(rootSeq % rootHistoryCapacity);
}

function merkleContextOf({ treeType, tree, queue }: Pick<TreeRecord, 'treeType'> & { tree: Pubkey; queue: Pubkey }) {
  return {
    treeType: TREE_TYPES[treeType],
    tree: toBase58(tree),
    queue: toBase58(queue),
    cpiContext: null,
    nextTreeContext: null,
  };
}
