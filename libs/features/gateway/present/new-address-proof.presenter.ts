import { type NewAddressProof, type NewAddressProofs } from '@fresnel/adapters/prover-client';
import { type NewAddressProofItem } from '@fresnel/contracts/rpc';
import { type Hash, keyOf, type Pubkey, toBase58 } from '@fresnel/domain/primitives';

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

/** `toBase58` with a cache: proofs in one tree share most siblings, and base58 is the most expensive part of a response. */
function cachedBase58(): (hash: Hash) => string {
  const texts = new Map<string, string>();
  return (hash) => {
    const key = keyOf(hash);
    const text = texts.get(key) ?? toBase58(hash);
    texts.set(key, text);
    return text;
  };
}
