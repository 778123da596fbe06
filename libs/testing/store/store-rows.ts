import { blockKeyBytes, type BlockRef } from '@fresnel/domain/chain';
import {
  ACCOUNT_COLUMNS,
  type AccountColumn,
  columnNames,
  firstTransactionId,
  SPEND_COLUMNS,
  type SpendColumn,
} from '@fresnel/adapters/store-schema';
import { encodeTransactionJson } from '@fresnel/domain/chain/transaction-json';
import { createHash } from 'node:crypto';
import { type DataSource } from 'typeorm';

/** Anything that can run SQL: a data source of a test database. */
type Database = Pick<DataSource, 'query'>;

/** Stores the indexed slot and the chain tip. By default the tip equals the indexed slot and was seen now. */
export async function setIndexedSlot(
  database: Database,
  indexedSlot: number | null,
  {
    chainTip = indexedSlot,
    seenAt = new Date(),
    blockhash = null,
  }: { chainTip?: number | null; seenAt?: Date | null; blockhash?: Buffer | null } = {},
): Promise<void> {
  await database.query(`UPDATE indexer_state SET indexed_slot = $1`, [indexedSlot]);
  if (blockhash) await insertIndexedBlock(database, indexedSlot ?? 0, blockhash);
  await database.query(`UPDATE chain_tip SET slot = $1, seen_at = $2`, [chainTip, seenAt]);
}

async function insertIndexedBlock(database: Database, slot: number, blockhash: Buffer): Promise<void> {
  await database.query(
    `INSERT INTO blocks (slot, parent_slot, blockhash, parent_blockhash, block_time, changes_trees)
     VALUES ($1::bigint, $1::bigint - 1, $2, $2, 0, true)`,
    [slot, blockhash],
  );
}

/** Stores blocks that trees have, oldest first, as a writer of them does. */
export async function insertTreeBranch(
  database: Database,
  partition: number,
  branch: readonly BlockRef[],
): Promise<void> {
  await database.query(
    `INSERT INTO tree_partitions (topic, partition, entry, slot, blockhash, blocks, branch, has_refused)
     VALUES ('tree-updates', $1, gen_random_uuid(), 0, '', '', $2, false)`,
    [partition, branch.map(blockKeyBytes)],
  );
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
  await database.query(
    `INSERT INTO tree_appends (tree_id, slot, next_leaf_index) SELECT id, 0, $2 FROM trees WHERE tree = $1`,
    [row.tree, row.appendedLeaves],
  );
}

/** Columns of an account and of its spend by name. Omitted columns are null. */
export type AccountRowToInsert = Partial<
  Record<AccountColumn | SpendColumn, Buffer | string | number | boolean | null>
> & {
  /** Omitted: the account is not stored. */
  slot_created?: number;
  tree?: Buffer;
  /** Omitted: the spend is not stored. */
  spent_slot?: number;
};

/** Inserts an account, its spend, or both. */
export async function insertAccount(database: Database, row: AccountRowToInsert): Promise<void> {
  const idOf = (slot: number | undefined) => (slot === undefined ? undefined : String(firstTransactionId(slot)));
  const values = { ...row, created_by: idOf(row.slot_created), spent_by: idOf(row.spent_slot) };
  const accountColumns = columnNames(ACCOUNT_COLUMNS);
  if (values.created_by !== undefined) {
    const places = accountColumns.map((column, at) =>
      column === 'tree_id' ? `(SELECT id FROM trees WHERE tree = $${at + 1})` : `$${at + 1}`,
    );
    await database.query(
      `INSERT INTO accounts (${accountColumns.join(', ')}) VALUES (${places.join(', ')})`,
      accountColumns.map((column) => (column === 'tree_id' ? row.tree : (values[column] ?? null))),
    );
  }
  if (values.spent_by === undefined) return;
  const spendColumns = columnNames(SPEND_COLUMNS);
  await database.query(
    `INSERT INTO spends (${spendColumns.join(', ')}) VALUES (${spendColumns.map((_, at) => `$${at + 1}`).join(', ')})`,
    spendColumns.map((column) => values[column] ?? null),
  );
}

/** Lists all unspent accounts that are stored, and the lamports of their owners, as if their slots were indexed. */
export async function listUnspentAccounts(database: Database): Promise<void> {
  const unspent = `FROM accounts a WHERE owner IS NOT NULL AND NOT EXISTS (SELECT FROM spends s WHERE s.hash = a.hash)`;
  await database.query(`TRUNCATE unspent_accounts, owner_lamports`);
  await database.query(
    `INSERT INTO unspent_accounts
       (owner_digest, token_owner_digest, delegate_digest, onchain_digest, leaf_index, hash, mint)
     SELECT key_digest(owner), key_digest(token_owner), key_digest(delegate),
       key_digest(coalesce(onchain_pubkey, CASE WHEN mint IS NOT NULL THEN ata_owner END)), leaf_index, hash, mint
     ${unspent}`,
  );
  await database.query(
    `INSERT INTO address_programs
     SELECT DISTINCT owner FROM accounts WHERE owner IS NOT NULL AND address IS NOT NULL AND data_hash IS NOT NULL
     ON CONFLICT DO NOTHING`,
  );
  await database.query(
    `INSERT INTO owner_lamports (owner_digest, lamports)
     SELECT key_digest(owner), sum(lamports) ${unspent} GROUP BY owner HAVING sum(lamports) > 0`,
  );
  await database.query(`ANALYZE unspent_accounts`);
}

/** An id for a transaction. The order is that of the signatures as long as their first two bytes differ. */
function transactionIdOf(slot: number, signature: Buffer): string {
  return String(firstTransactionId(slot) + BigInt(signature.readUInt16BE()));
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
  const [consumed, created] = [row.consumed, row.created].map((hashes) => Buffer.concat(hashes ?? []));
  await database.query(
    `INSERT INTO transactions (id, block_time, block_index, signature, consumed, created, json)
     VALUES ($1, $2, 0, $3, $4, $5, $6)`,
    [
      transactionIdOf(row.slot, row.signature),
      row.slot,
      row.signature,
      consumed,
      created,
      encodeTransactionJson(row.json, [row.signature, consumed, created]),
    ],
  );
}

export interface SignatureRowToInsert {
  slot: number;
  signature: Buffer;
  blockTime?: number;
}

/** Signatures of one owner, with their transactions. */
export async function insertSignatures(
  database: Database,
  table: 'owner_signatures' | 'token_owner_signatures',
  owner: Buffer,
  rows: readonly SignatureRowToInsert[],
): Promise<void> {
  const ids = rows.map(({ slot, signature }) => transactionIdOf(slot, signature));
  await database.query(
    `INSERT INTO transactions (id, signature, block_time, block_index, consumed, created, json)
     SELECT *, 0, '', '', '' FROM unnest($1::bigint[], $2::bytea[], $3::bigint[])
     ON CONFLICT (id) DO UPDATE SET block_time = excluded.block_time`,
    [ids, rows.map(({ signature }) => signature), rows.map(({ slot, blockTime }) => blockTime ?? slot)],
  );
  await database.query(
    `INSERT INTO ${table} (owner_digest, transaction_id) SELECT key_digest($1), * FROM unnest($2::bigint[])`,
    [owner, ids],
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
    `INSERT INTO accounts (hash, address, created_by, tree_id, leaf_index, owner, lamports)
     SELECT sha256(int4send(i)), sha256(int4send(i)), i::bigint << 16, t.id, i, $1, 1
     FROM trees t, generate_series(1, $2::integer) i WHERE t.tree = $1`,
    [tree, count],
  );
  await fill(
    database,
    'spends',
    `INSERT INTO spends (hash, spent_by)
     SELECT sha256(int4send(i)), i::bigint << 16 FROM generate_series(2, $1::integer, 2) i ON CONFLICT DO NOTHING`,
    [count],
  );
}

/** Transactions with accounts; transaction i, in slot i, consumed account i and created account i + 1 of `fillAccounts`. */
export async function fillTransactions(database: Database, count: number): Promise<void> {
  await fill(
    database,
    'transactions',
    `INSERT INTO transactions (id, block_time, block_index, signature, consumed, created, json)
     SELECT i::bigint << 16, i, 0, sha256(int4send(i)) || sha256(int4send(i)),
            sha256(int4send(i)), sha256(int4send(i + 1)), $2::bytea
     FROM generate_series(1, $1::integer) i
     ON CONFLICT DO NOTHING`,
    [count, encodeTransactionJson('{}', [])],
  );
}

/** The transactions of `fillTransactions` for `owners` owners, round-robin by slot. The first owner is `filledKey(0)`. */
export async function fillSignatures(
  database: Database,
  table: 'owner_signatures' | 'token_owner_signatures',
  count: number,
  owners: number,
): Promise<void> {
  await fill(
    database,
    table,
    `INSERT INTO ${table} (owner_digest, transaction_id)
     SELECT key_digest(sha256(int4send(i % $2::integer))), i::bigint << 16 FROM generate_series(1, $1::integer) i`,
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

/** Stores a block without contents. @param blockTime in Unix seconds */
export async function insertBlock(database: Database, slot: number, blockTime: number): Promise<void> {
  await database.query(
    `INSERT INTO blocks (slot, parent_slot, blockhash, parent_blockhash, block_time, block_height, changes_trees)
    SELECT slot, slot - 1, sha256(slot::text::bytea), sha256((slot - 1)::text::bytea), $2, slot, false
    FROM (SELECT $1::bigint AS slot) AS block`,
    [slot, blockTime],
  );
}
