import { type LeafPlace } from '@fresnel/adapters/store-read';
import { type AccountProof, type AccountProofV2 } from '@fresnel/contracts/rpc';
import { type Hash, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { type MerklePaths, TREE_TYPES } from '@fresnel/domain/trees';

/** The Merkle path of an account's leaf. */
export interface LeafPath {
  /** Those of all accounts in its tree. */
  paths: MerklePaths;
  /** Its place among them. */
  at: number;
  root: Hash;
  rootSeq: bigint;
}

/** An account with its path; without one while it is in an output queue, where programs check it by its leaf index. */
export interface ProvenLeaf {
  place: LeafPlace;
  path: LeafPath | null;
}

/** Returns a function that presents the proofs of one response. */
export function accountProofPresenter(): (leaf: ProvenLeaf) => AccountProof {
  const present = pathPresenter();
  return (leaf) => ({ ...present(leaf), merkleTree: toBase58(leaf.place.tree) });
}

/** The same for the V2 form. */
export function accountProofV2Presenter(): (leaf: ProvenLeaf) => AccountProofV2 {
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

function pathPresenter(): (leaf: ProvenLeaf) => Omit<AccountProof, 'merkleTree'> {
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
function presentTree({ paths, root }: LeafPath) {
  return { root: toBase58(root), proofAt: paths.convert(toBase58) };
}
