import { type NewAddressProofs, unpackProofs } from '@fresnel/adapters/prover-client';
import { type NewAddressProofItem } from '@fresnel/contracts/rpc';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { cachedBase58 } from './cached-base58';

/** Returns functions that present the proofs of a tree, in the order of the request. */
export function presentNewAddressProofs(tree: Pubkey, proofs: NewAddressProofs): (() => NewAddressProofItem)[] {
  const toText = cachedBase58();
  const { rootSeq } = proofs;
  const [merkleTree, root] = [toBase58(tree), toBase58(proofs.root)];
  return unpackProofs(proofs).map(
    ({ address, lowerRangeAddress, higherRangeAddress, lowElementLeafIndex, nextIndex, siblings }) =>
      () => ({
        merkleTree,
        root,
        rootSeq,
        address: toBase58(address),
        lowerRangeAddress: toBase58(lowerRangeAddress),
        higherRangeAddress: toBase58(higherRangeAddress),
        lowElementLeafIndex,
        nextIndex,
        proof: siblings.map(toText),
      }),
  );
}
