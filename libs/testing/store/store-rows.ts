import { ACCOUNT_COLUMNS, type AccountColumn } from '@fresnel/adapters/store-schema';
import { createHash } from 'node:crypto';
import { type DataSource } from 'typeorm';

/** Anything that can run SQL: a data source of a test database. */
type Database = Pick<DataSource, 'query'>;

/** Stores the indexed slot and the chain tip. By default the tip equals the indexed slot and was seen now. */
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
  /** The tree type on the chain: 1 StateV1, 2 AddressV1, 3 StateV2, 4 AddressV2. */
  treeType: number;
  /** The number of leaves that have left the output queue, since slot 0. */
  appendedLeaves?: number;
}

export async function insertTree(database: Database, row: TreeRowToInsert): Promise<void> {
  await database.query(
    `INSERT INTO trees (tree, queue, tree_type, height, root_history_capacity) VALUES ($1, $2, $3, 26, 2400)`,
    [row.tree, row.queue, row.treeType],
  );
  if (row.appendedLeaves === undefined) return;
  await database.query(`INSERT INTO tree_appends (tree, slot, next_leaf_index) VALUES ($1, 0, $2)`, [
    row.tree,
    row.appendedLeaves,
  ]);
}

/** Columns of an account by name. Omitted columns are null. */
export type AccountRowToInsert = Partial<Record<AccountColumn, Buffer | string | number | boolean | null>>;

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
  /** The node's JSON text. */
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

/** Key number `number` of the fill functions. */
export function filledKey(number: number): Buffer {
  const digits = Buffer.alloc(4);
  digits.writeInt32BE(number);
  return createHash('sha256').update(digits).digest();
}

/** Inserts enough rows for the planner to use an index, and updates its statistics. */
async function fill(database: Database, table: string, sql: string, values: unknown[]): Promise<void> {
  await database.query(sql, values);
  await database.query(`ANALYZE ${table}`);
}

/** Accounts with hash and address `filledKey(1)` and so on, at leaf and slot 1 and so on; every other one is spent. */
export async function fillAccounts(database: Database, tree: Buffer, count: number): Promise<void> {
  await fill(
    database,
    'accounts',
    `INSERT INTO accounts (hash, address, slot_created, tree, leaf_index, owner, lamports, spent_slot)
     SELECT sha256(int4send(i)), sha256(int4send(i)), i, $1, i, $1, 1, CASE WHEN i % 2 = 0 THEN i END
     FROM generate_series(1, $2::integer) i`,
    [tree, count],
  );
}

/** Transactions with accounts; transaction i consumed account i and created account i + 1 of `fillAccounts`. */
export async function fillTransactions(database: Database, count: number): Promise<void> {
  await fill(
    database,
    'transactions',
    `INSERT INTO transactions (signature, slot, block_index, json, consumed, created)
     SELECT sha256(int4send(i)) || sha256(int4send(i)), i, 0, '{}',
            ARRAY[sha256(int4send(i))], ARRAY[sha256(int4send(i + 1))]
     FROM generate_series(1, $1::integer) i`,
    [count],
  );
}

/** Signatures of `owners` owners, round-robin by slot. The first owner is `filledKey(0)`. */
export async function fillSignatures(
  database: Database,
  table: 'owner_signatures' | 'token_owner_signatures',
  count: number,
  owners: number,
): Promise<void> {
  await fill(
    database,
    table,
    `INSERT INTO ${table} (owner, slot, signature, block_time)
     SELECT sha256(int4send(i % $2::integer)), i, sha256(int4send(i)) || sha256(int4send(i)), i
     FROM generate_series(1, $1::integer) i`,
    [count, owners],
  );
}

/** Holders of `mints` mints, round-robin. The first mint is `filledKey(0)`. */
export async function fillHolders(database: Database, count: number, mints: number): Promise<void> {
  await fill(
    database,
    'token_holders',
    `INSERT INTO token_holders (mint, owner, balance)
     SELECT sha256(int4send(i % $2::integer)), sha256(int4send(i)), i FROM generate_series(1, $1::integer) i`,
    [count, mints],
  );
}
