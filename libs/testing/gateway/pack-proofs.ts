import { type NewAddressProof, type NewAddressProofs, packElements } from '@fresnel/adapters/prover-client';
import { type Hash } from '@fresnel/domain/primitives';
import { MerklePaths } from '@fresnel/domain/trees';

/** The proofs of an answer, from single ones. @param height of the tree @throws Error for a path of another height */
export function packProofs(
  height: number,
  proofs: readonly NewAddressProof[],
): Pick<NewAddressProofs, 'elements' | 'paths'> {
  const lows = proofs.map(({ lowerRangeAddress: value, higherRangeAddress: nextValue, ...proof }) => {
    return { index: proof.lowElementLeafIndex, value, nextIndex: proof.nextIndex, nextValue };
  });
  return {
    elements: packElements(
      proofs.map(({ address }) => address),
      lows,
    ),
    paths: packPaths(
      height,
      proofs.map(({ lowElementLeafIndex: leafIndex, siblings }) => ({ leafIndex, siblings })),
    ),
  };
}

/** The paths of an answer, from single ones. @param height of the tree @throws Error for a path of another height */
export function packPaths(
  height: number,
  paths: readonly { leafIndex: number; siblings: readonly Hash[] }[],
): MerklePaths {
  const nodes = new Map<string, Buffer>();
  for (const { leafIndex, siblings } of paths) {
    if (siblings.length !== height) throw new Error(`${siblings.length} siblings for ${height} levels`);
    siblings.forEach((sibling, level) => nodes.set(`${level} ${Math.floor(leafIndex / 2 ** level)}`, sibling));
  }
  const siblingsOf = (indices: readonly number[], level: number) =>
    Buffer.concat(indices.map((index) => nodes.get(`${level} ${index}`) ?? Buffer.alloc(0)));
  return MerklePaths.read(
    { siblingsOf },
    paths.map(({ leafIndex }) => leafIndex),
    height,
  );
}
