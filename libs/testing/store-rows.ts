import { type DataSource } from 'typeorm';

/** Anything that can run SQL: a data source of a test database. */
type Database = Pick<DataSource, 'query'>;

/** Says how far the index and the chain are; the chain's tip was seen just now where nothing else is said. */
export async function setIndexedSlot(
  database: Database,
  indexedSlot: number | null,
  { chainTip = indexedSlot, seenAt = new Date() }: { chainTip?: number | null; seenAt?: Date | null } = {},
): Promise<void> {
  await database.query(`UPDATE indexer_state SET indexed_slot = $1, chain_tip = $2, chain_tip_seen_at = $3`, [
    indexedSlot,
    chainTip,
    seenAt,
  ]);
}

export interface TreeRowToInsert {
  tree: Buffer;
  queue: Buffer;
  /** As the chain counts them: 1 StateV1, 2 AddressV1, 3 StateV2, 4 AddressV2. */
  treeType: number;
  appendedLeaves?: number;
}

export async function insertTree(database: Database, row: TreeRowToInsert): Promise<void> {
  await database.query(
    `INSERT INTO trees (tree, queue, tree_type, height, root_history_capacity, appended_leaves)
     VALUES ($1, $2, $3, 26, 2400, $4)`,
    [row.tree, row.queue, row.treeType, row.appendedLeaves ?? 0],
  );
}

/** Columns of an account by their names; those left out are null. */
export type AccountRowToInsert = Partial<Record<AccountColumn, Buffer | string | number | boolean | null>>;

const ACCOUNT_COLUMNS = [
  'hash',
  'slot_created',
  'created_signature',
  'tree',
  'leaf_index',
  'seq',
  'owner',
  'lamports',
  'address',
  'discriminator',
  'data',
  'data_hash',
  'mint',
  'token_owner',
  'amount',
  'delegate',
  'is_frozen',
  'tlv',
  'spent_slot',
  'spent_signature',
  'tx_hash',
  'nullifier',
] as const;

type AccountColumn = (typeof ACCOUNT_COLUMNS)[number];

export async function insertAccount(database: Database, row: AccountRowToInsert): Promise<void> {
  const places = ACCOUNT_COLUMNS.map((_, index) => `$${index + 1}`);
  await database.query(
    `INSERT INTO accounts (${ACCOUNT_COLUMNS.join(', ')}) VALUES (${places.join(', ')})`,
    ACCOUNT_COLUMNS.map((column) => row[column] ?? null),
  );
}

export interface TransactionRowToInsert {
  signature: Buffer;
  slot: number;
  /** The node's answer, as text. */
  json: string;
  consumed?: Buffer[];
  created?: Buffer[];
}

export async function insertTransaction(database: Database, row: TransactionRowToInsert): Promise<void> {
  await database.query(
    `INSERT INTO transactions (signature, slot, block_index, json, consumed, created) VALUES ($1, $2, 0, $3, $4, $5)`,
    [row.signature, row.slot, row.json, row.consumed ?? [], row.created ?? []],
  );
}

export interface SignatureRowToInsert {
  slot: number;
  signature: Buffer;
  blockTime?: number;
}

/** Signatures of one owner, in one statement. */
export async function insertSignatures(
  database: Database,
  table: 'owner_signatures' | 'token_owner_signatures',
  owner: Buffer,
  rows: readonly SignatureRowToInsert[],
): Promise<void> {
  await database.query(
    `INSERT INTO ${table} (owner, slot, signature, block_time)
     SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::bigint[])`,
    [
      owner,
      rows.map(({ slot }) => slot),
      rows.map(({ signature }) => signature),
      rows.map(({ slot, blockTime }) => blockTime ?? slot),
    ],
  );
}

/** Holders of one mint, in one statement. */
export async function insertHolders(
  database: Database,
  mint: Buffer,
  rows: readonly { owner: Buffer; balance: bigint }[],
): Promise<void> {
  await database.query(
    `INSERT INTO token_holders (mint, owner, balance) SELECT $1, * FROM unnest($2::bytea[], $3::numeric[])`,
    [mint, rows.map(({ owner }) => owner), rows.map(({ balance }) => balance.toString())],
  );
}
