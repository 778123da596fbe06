import { type NewAddressProofs, unpackElements } from '@fresnel/adapters/prover-client';
import { type NewAddressProofItem } from '@fresnel/contracts/rpc';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';

/** Returns functions that present the proofs of a tree, in the order of the request. */
export function presentNewAddressProofs(
  tree: Pubkey,
  { root, rootSeq, elements, paths }: NewAddressProofs,
): (() => NewAddressProofItem)[] {
  const shared = { merkleTree: toBase58(tree), root: toBase58(root), rootSeq };
  const proofAt = paths.convert(toBase58);
  return unpackElements(elements).map(
    ({ address, lowerRangeAddress, higherRangeAddress, lowElementLeafIndex, nextIndex }, at) =>
      () => ({
        ...shared,
        address: toBase58(address),
        lowerRangeAddress: toBase58(lowerRangeAddress),
        higherRangeAddress: toBase58(higherRangeAddress),
        lowElementLeafIndex,
        nextIndex,
        proof: proofAt(at),
      }),
  );
}
