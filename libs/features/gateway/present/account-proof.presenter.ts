import { type LeafPlace } from '@fresnel/adapters/store-read';
import { type AccountProof, type AccountProofV2 } from '@fresnel/contracts/rpc';
import { type Hash, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { TREE_TYPES } from '@fresnel/domain/trees';
import { cachedBase58 } from './cached-base58';

/** A leaf and its path, null while it is in an output queue. */
export interface LeafToPresent {
  place: LeafPlace;
  path: { siblings: readonly Hash[]; root: Hash; rootSeq: bigint } | null;
}

/** Returns a function that presents proofs that share siblings. */
export function accountProofPresenter(): (leaf: LeafToPresent) => AccountProof {
  const present = pathPresenter();
  return (leaf) => ({ ...present(leaf), merkleTree: toBase58(leaf.place.tree) });
}

/** The same for the V2 form. */
export function accountProofV2Presenter(): (leaf: LeafToPresent) => AccountProofV2 {
  const present = pathPresenter();
  return (leaf) => {
    const { treeType, tree, queue } = leaf.place;
    const treeContext = {
      treeType: TREE_TYPES[treeType],
      tree: toBase58(tree),
      queue: toBase58(queue),
      cpiContext: null,
    };
    return { ...present(leaf), proveByIndex: leaf.path === null, treeContext };
  };
}

function pathPresenter(): (leaf: LeafToPresent) => Omit<AccountProof, 'merkleTree'> {
  const toText = cachedBase58();
  return ({ place: { hash, leafIndex }, path }) => ({
    hash: toBase58(hash),
    leafIndex,
    proof: path ? path.siblings.map(toText) : [],
    root: toText(path?.root ?? ZERO_HASH),
    rootSeq: path?.rootSeq ?? 0n,
  });
}
