import { type NewAddressProofs, proofRecordBytes } from '@fresnel/adapters/prover-client';
import { encodeRecords, type Pubkey, RECORD_FIELDS, toBase58 } from '@fresnel/domain/primitives';

const { key, integer } = RECORD_FIELDS;

/**
 * Returns a function that writes consecutive proofs of a tree as JSON, see `NewAddressProofItem`, with commas between them. The
 * records have the fields in the order of the template. A thousand proofs have 30,000 hashes or more, so none of these becomes
 * an object.
 */
export function proofWriter(
  tree: Pubkey,
  { root, rootSeq, height, records }: NewAddressProofs,
): (start: number, end: number) => Buffer {
  const range = `"address":"${key}","lowerRangeAddress":"${key}","higherRangeAddress":"${key}"`;
  const indices = `"lowElementLeafIndex":${integer},"nextIndex":${integer}`;
  const state = `"root":"${toBase58(root)}","rootSeq":${rootSeq}`;
  const siblings = Array.from({ length: height }, () => `"${key}"`).join(',');
  const template = `{${range},${indices},"merkleTree":"${toBase58(tree)}","proof":[${siblings}],${state}}`;
  const stride = proofRecordBytes(height);
  return (start, end) => encodeRecords(records.subarray(start * stride, end * stride), template);
}
