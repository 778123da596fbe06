import { type HolderRecord, type TokenBalanceRecord } from '@fresnel/adapters/store-read';
import { type MintBalance, type TokenHolder } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';

export function presentTokenHolder({ owner, balance }: HolderRecord): TokenHolder {
  return { owner: toBase58(owner), balance };
}

export function presentMintBalance({ mint, balance }: TokenBalanceRecord): MintBalance {
  return { mint: toBase58(mint), balance };
}
