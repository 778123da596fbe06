import { type NewAddressProof, type NewAddressProofs, packElements } from '@fresnel/adapters/prover-client';
import { MerklePaths } from '@fresnel/domain/trees';

/** The proofs of an answer, from single ones. @param height of the tree @throws Error for a path of another height */
export function packProofs(
  height: number,
  proofs: readonly NewAddressProof[],
): Pick<NewAddressProofs, 'elements' | 'paths'> {
  const nodes = new Map<string, Buffer>();
  for (const { lowElementLeafIndex, siblings } of proofs) {
    if (siblings.length !== height) throw new Error(`${siblings.length} siblings for ${height} levels`);
    siblings.forEach((sibling, level) =>
      nodes.set(`${level} ${Math.floor(lowElementLeafIndex / 2 ** level)}`, sibling),
    );
  }
  const lows = proofs.map(({ lowerRangeAddress: value, higherRangeAddress: nextValue, ...proof }) => {
    return { index: proof.lowElementLeafIndex, value, nextIndex: proof.nextIndex, nextValue };
  });
  const siblingsOf = (indices: readonly number[], level: number) =>
    Buffer.concat(indices.map((index) => nodes.get(`${level} ${index}`) ?? Buffer.alloc(0)));
  return {
    elements: packElements(
      proofs.map(({ address }) => address),
      lows,
    ),
    paths: MerklePaths.read(
      { siblingsOf },
      lows.map(({ index }) => index),
      height,
    ),
  };
}
