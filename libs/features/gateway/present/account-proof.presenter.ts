import { type LeafPlace } from '@fresnel/adapters/store-read';
import { type AccountProof, type AccountProofV2 } from '@fresnel/contracts/rpc';
import { type Hash, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { type MerklePaths, TREE_TYPES } from '@fresnel/domain/trees';

/** A leaf and its path, null while it is in an output queue. */
export interface LeafToPresent {
  place: LeafPlace;
  path: PathToPresent | null;
}

interface PathToPresent {
  /** Those of all leaves in its tree. */
  paths: MerklePaths;
  /** Its place among them. */
  at: number;
  root: Hash;
  rootSeq: bigint;
}

/** Returns a function that presents the proofs of one response. */
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
  const trees = new Map<MerklePaths, ReturnType<typeof presentTree>>();
  return ({ place: { hash, leafIndex }, path }) => {
    const account = { hash: toBase58(hash), leafIndex };
    if (!path) return { ...account, proof: [], root: toBase58(ZERO_HASH), rootSeq: 0n };
    let tree = trees.get(path.paths);
    if (!tree) trees.set(path.paths, (tree = presentTree(path)));
    return { ...account, proof: tree.proofAt(path.at), root: tree.root, rootSeq: path.rootSeq };
  };
}

/** What the proofs in one tree share is encoded once: base58 is the most expensive part of a response. */
function presentTree({ paths, root }: PathToPresent) {
  return { root: toBase58(root), proofAt: paths.convert(toBase58) };
}
