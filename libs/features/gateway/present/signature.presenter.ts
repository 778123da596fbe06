import { type SignatureRecord } from '@fresnel/adapters/store-read';
import { type SignatureItem } from '@fresnel/contracts/rpc';
import { RECORD_FIELDS, toBase58 } from '@fresnel/domain/primitives';

export function presentSignature({ signature, slot, blockTime }: SignatureRecord): SignatureItem {
  return { signature: toBase58(signature), slot, blockTime };
}

/** What `presentSignature` presents, as a template for the records of a page. */
export const SIGNATURE_TEMPLATE = `{"signature":"${RECORD_FIELDS.signature}","slot":${RECORD_FIELDS.integer},"blockTime":${RECORD_FIELDS.integer}}`;
