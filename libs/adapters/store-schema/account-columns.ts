/*
 * The columns of `accounts` and `spends`, listed once. Statements that write and read them derive their column lists from
 * here; a test compares the lists with the tables.
 */

/** Columns of `accounts`, with their types in Postgres. */
export const ACCOUNT_COLUMNS = {
  hash: 'bytea',
  /** Id of the transaction. */
  created_by: 'bigint',
  leaf_index: 'bigint',
  tree_id: 'integer',
  is_frozen: 'boolean',
  seq: 'numeric',
  owner: 'bytea',
  lamports: 'numeric',
  address: 'bytea',
  discriminator: 'bytea',
  /** Null also for token accounts whose data follow from the other columns, see `encodeTokenData`. */
  data: 'bytea',
  data_hash: 'bytea',
  mint: 'bytea',
  token_owner: 'bytea',
  amount: 'numeric',
  delegate: 'bytea',
  tlv: 'bytea',
  /** The wallet of a compressed associated token account. */
  ata_owner: 'bytea',
  /** The Solana account that a compressed account stands for. */
  onchain_pubkey: 'bytea',
} as const;

/** Columns of `spends`, with their types in Postgres. */
export const SPEND_COLUMNS = {
  hash: 'bytea',
  /** Id of the transaction. */
  spent_by: 'bigint',
  tx_hash: 'bytea',
  nullifier: 'bytea',
  nullifier_queue_index: 'numeric',
} as const;

export type AccountColumn = keyof typeof ACCOUNT_COLUMNS;
export type SpendColumn = keyof typeof SPEND_COLUMNS;

/** Names of columns, typed. */
export function columnNames<Name extends string>(columns: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(columns) as Name[];
}
