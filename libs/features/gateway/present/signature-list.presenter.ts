import { type SignaturePage } from '@fresnel/adapters/store-read';
import { type SignatureList, encodeSignatureCursor } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { nextCursor } from './next-cursor';

export function presentSignatures(
  { slot, items }: SignaturePage,
  limit: number,
): { context: { slot: number }; value: SignatureList } {
  return {
    context: { slot },
    value: {
      items: items.map(({ signature, slot, blockTime }) => ({ signature: toBase58(signature), slot, blockTime })),
      cursor: nextCursor(items, limit, encodeSignatureCursor),
    },
  };
}
