import { type TokenBalanceRecord } from '@fresnel/adapters/store-read';
import { type MintBalance } from '@fresnel/contracts/rpc';
import { RECORD_FIELDS, toBase58 } from '@fresnel/domain/primitives';

/** A `TokenHolder`, as a template for the records of a page. */
export const HOLDER_TEMPLATE = `{"owner":"${RECORD_FIELDS.key}","balance":${RECORD_FIELDS.digits}}`;

export function presentMintBalance({ mint, balance }: TokenBalanceRecord): MintBalance {
  return { mint: toBase58(mint), balance };
}
