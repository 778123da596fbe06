import { type SignatureRecord } from '@fresnel/adapters/store-read';
import { type SignatureItem } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';

export function presentSignature({ signature, slot, blockTime }: SignatureRecord): SignatureItem {
  return { signature: toBase58(signature), slot, blockTime };
}
