import { type HolderRecord } from '@fresnel/adapters/store-read';
import { type TokenHolder } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';

export function presentHolder({ owner, balance }: HolderRecord): TokenHolder {
  return { owner: toBase58(owner), balance };
}
