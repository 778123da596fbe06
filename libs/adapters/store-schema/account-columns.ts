/*
 * The columns of `accounts`, listed once. Statements that write, revert and read accounts derive their column lists from
 * here; a test compares the lists with the table.
 */

/** Columns that are set when the account is created, with their types in Postgres. */
export const CREATED_COLUMNS = {
  slot_created: 'bigint',
  created_signature: 'bytea',
  tree: 'bytea',
  leaf_index: 'bigint',
  seq: 'numeric',
  owner: 'bytea',
  lamports: 'numeric',
  address: 'bytea',
  discriminator: 'bytea',
  data: 'bytea',
  data_hash: 'bytea',
  mint: 'bytea',
  token_owner: 'bytea',
  amount: 'numeric',
  delegate: 'bytea',
  is_frozen: 'boolean',
  tlv: 'bytea',
  ata_owner: 'bytea',
} as const;

/** Columns that are set when the account is consumed, with their types in Postgres. */
export const CONSUMED_COLUMNS = {
  spent_slot: 'bigint',
  spent_signature: 'bytea',
  tx_hash: 'bytea',
  nullifier: 'bytea',
  nullifier_queue_index: 'numeric',
} as const;

export type CreatedColumn = keyof typeof CREATED_COLUMNS;
export type ConsumedColumn = keyof typeof CONSUMED_COLUMNS;
export type AccountColumn = 'hash' | CreatedColumn | ConsumedColumn;

export const ACCOUNT_COLUMNS: readonly AccountColumn[] = [
  'hash',
  ...columnNames(CREATED_COLUMNS),
  ...columnNames(CONSUMED_COLUMNS),
];

/** Types of the driver. It returns bigint and numeric as text, because they do not fit into a JavaScript number. */
interface DriverTypes {
  bytea: Buffer;
  bigint: string;
  numeric: string;
  boolean: boolean;
}

type ValuesOf<Columns extends Record<string, keyof DriverTypes>> = {
  [Name in keyof Columns]: DriverTypes[Columns[Name]] | null;
};

/** A row of `accounts` as the driver returns it. */
export type AccountRow = { hash: Buffer } & ValuesOf<typeof CREATED_COLUMNS> & ValuesOf<typeof CONSUMED_COLUMNS>;

/** Names of columns, typed. */
export function columnNames<Name extends string>(columns: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(columns) as Name[];
}
