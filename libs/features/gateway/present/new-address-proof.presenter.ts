import { type NewAddressProof, type NewAddressProofs } from '@fresnel/adapters/prover-client';
import { formatRecords, HASH_BYTES, type Pubkey, RECORD_FIELDS, toBase58 } from '@fresnel/domain/primitives';

const { key, integer } = RECORD_FIELDS;

/**
 * Returns a function that writes proofs of one state of a tree as JSON, see `NewAddressProofItem`, with commas between them. A
 * thousand proofs have 30,000 hashes or more, so none of these becomes an object.
 */
export function proofWriter(
  tree: Pubkey,
  { root, rootSeq }: Pick<NewAddressProofs, 'root' | 'rootSeq'>,
): (proofs: readonly NewAddressProof[]) => string {
  const range = `"address":"${key}","lowerRangeAddress":"${key}","higherRangeAddress":"${key}"`;
  const indices = `"lowElementLeafIndex":${integer},"nextIndex":${integer}`;
  const state = `"root":"${toBase58(root)}","rootSeq":${rootSeq}`;
  const before = `{${range},${indices},"merkleTree":"${toBase58(tree)}","proof":[`;
  return (proofs) => {
    const height = proofs.length === 0 ? 0 : proofs[0].siblings.length / HASH_BYTES;
    const siblings = Array.from({ length: height }, () => `"${key}"`).join(',');
    return formatRecords(Buffer.concat(proofs.flatMap(fieldsOf)), `${before}${siblings}],${state}}`);
  };
}

/** The fields in the order of the template. */
function fieldsOf(proof: NewAddressProof): Buffer[] {
  const { address, lowerRangeAddress, higherRangeAddress, lowElementLeafIndex, nextIndex, siblings } = proof;
  const indices = Buffer.allocUnsafe(16);
  indices.writeBigInt64BE(BigInt(lowElementLeafIndex), 0);
  indices.writeBigInt64BE(BigInt(nextIndex), 8);
  return [address, lowerRangeAddress, higherRangeAddress, indices, siblings];
}
