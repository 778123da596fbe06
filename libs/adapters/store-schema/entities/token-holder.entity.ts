import { EntitySchema } from 'typeorm';
import { column, key } from './columns';

/** Sum of an owner's unspent token accounts of a mint; no row where it is zero. */
export interface TokenHolderRow {
  mint: Buffer;
  owner: Buffer;
  balance: string;
}

export const TokenHolderEntity = new EntitySchema<TokenHolderRow>({
  name: 'TokenHolder',
  tableName: 'token_holders',
  columns: {
    mint: key(column('bytea'), 'token_holders'),
    owner: key(column('bytea'), 'token_holders'),
    balance: { type: 'numeric', precision: 39, scale: 0 },
  },
  indices: [{ name: 'idx_token_holders_mint_balance_owner', columns: ['mint', 'balance', 'owner'] }],
});
