import { ELEMENT_RECORD_BYTES, type NewAddressProofs } from '@fresnel/adapters/prover-client';
import { maxTextBytes, type Pubkey, RECORD_FIELDS, toBase58, writeRecords } from '@fresnel/domain/primitives';

const { key, integer, reference } = RECORD_FIELDS;

/**
 * Writes proofs of a tree as JSON, see `NewAddressProofItem`. The records have the fields in the order of the template. A thousand
 * proofs have 30,000 hashes or more, so none of these becomes an object.
 */
export class ProofWriter {
  /** The most bytes that all proofs need, with commas between them. */
  readonly maxBytes: number;
  private readonly template: string;

  constructor(
    tree: Pubkey,
    private readonly proofs: NewAddressProofs,
  ) {
    const { root, rootSeq, elements, paths } = proofs;
    const range = `"address":"${key}","lowerRangeAddress":"${key}","higherRangeAddress":"${key}"`;
    const indices = `"lowElementLeafIndex":${integer},"nextIndex":${integer}`;
    const state = `"root":"${toBase58(root)}","rootSeq":${rootSeq}`;
    const siblings = Array.from({ length: paths.height }, () => `"${reference}"`).join(',');
    this.template = `{${range},${indices},"merkleTree":"${toBase58(tree)}","proof":[${siblings}],${state}}`;
    this.maxBytes = maxTextBytes(elements.length, this.template);
  }

  /** Writes consecutive proofs, with commas between them. @returns the part of the memory that has them */
  write(memory: Buffer, start: number, end: number): Buffer {
    const { elements, paths } = this.proofs;
    const records = elements.subarray(start * ELEMENT_RECORD_BYTES, end * ELEMENT_RECORD_BYTES);
    const references = paths.references.subarray(start * paths.height, end * paths.height);
    return memory.subarray(0, writeRecords(memory, records, this.template, paths.nodes, references));
  }
}
