import { type NewAddressProof, type NewAddressProofs } from '@fresnel/adapters/prover-client';
import { type NewAddressProofItem } from '@fresnel/contracts/rpc';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { cachedBase58 } from './cached-base58';

/** Returns a function that presents proofs of one state of a tree. */
export function proofPresenter(
  tree: Pubkey,
  { root, rootSeq }: Pick<NewAddressProofs, 'root' | 'rootSeq'>,
): (proof: NewAddressProof) => NewAddressProofItem {
  const merkleTree = toBase58(tree);
  const rootText = toBase58(root);
  const siblingText = cachedBase58();
  return (item) => ({
    address: toBase58(item.address),
    lowerRangeAddress: toBase58(item.lowerRangeAddress),
    higherRangeAddress: toBase58(item.higherRangeAddress),
    lowElementLeafIndex: item.lowElementLeafIndex,
    nextIndex: item.nextIndex,
    merkleTree,
    proof: item.proof.map(siblingText),
    root: rootText,
    rootSeq,
  });
}
