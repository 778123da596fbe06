import { firstTransactionId } from '@fresnel/adapters/store-schema';
import {
  createTestDatabase,
  explainStatement,
  fillAccounts,
  filledKey,
  fillTransactions,
  insertTree,
  type TestDatabase,
} from '@fresnel/testing/store';
import { CREATED_BY_OTHERS } from './accounts.statement';
import { DELETE_BLOCKS, OLD_SLOTS, STORED_BLOCKHASHES, STORED_BLOCKS } from './blocks.statement';
import { INDEX_END } from './stored-blocks.query';
import { DELETE_MIGRATED_LEAVES, MIGRATED_LEAVES_OF_SLOTS } from './migrated-leaves.statement';
import { SPENT_BY_OTHERS } from './spends.statement';
import { DELETE_DEAD_LETTERS } from './dead-letters.statement';
import { DELETE_ACCOUNTS, DELETE_SPENDS, DELETE_TRANSACTIONS } from './delete-transactions';
import { TRANSACTIONS_OF_OTHER_SLOTS, TRANSACTIONS_OF_SLOTS } from './transactions.statement';
import { DELETE_APPENDS } from './trees.statement';

const ROWS = 30_000;
const SLOTS = Array.from({ length: 31 }, (_, at) => 20_000 + at);
const HASHES = SLOTS.map((slot) => filledKey(slot));
const SIGNATURES = SLOTS.map((slot) => Buffer.concat([filledKey(slot), filledKey(slot)]));
const IDS = SLOTS.map((slot) => firstTransactionId(slot));

/** Inserts blocks, each with an append, a migrated leaf and a dead letter. */
async function fillBlocks({ dataSource }: TestDatabase): Promise<void> {
  await dataSource.query(
    `INSERT INTO blocks SELECT i, i - 1, sha256(int4send(i)), sha256(int4send(i - 1)), i, i, false FROM generate_series(1, $1::integer) i`,
    [ROWS],
  );
  await dataSource.query(`INSERT INTO tree_appends SELECT i % 10, i, i FROM generate_series(1, $1::integer) i`, [ROWS]);
  await dataSource.query(
    `INSERT INTO migrated_leaves SELECT i, 1, 0, sha256(int4send(i)) FROM generate_series(1, $1::integer) i`,
    [ROWS],
  );
  await dataSource.query(
    `INSERT INTO dead_letters SELECT i, 0, NULL, '{}', '{}' FROM generate_series(1, $1::integer) i`,
    [ROWS],
  );
  await dataSource.query(`ANALYZE blocks, tree_appends, migrated_leaves, dead_letters`);
}

describe('the statements that revert slots', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await fillBlocks(database);
    await insertTree(database.dataSource, { tree: filledKey(0), queue: filledKey(0), treeType: 1 });
    await fillAccounts(database.dataSource, filledKey(0), ROWS);
    await fillTransactions(database.dataSource, ROWS);
  });
  afterAll(() => database.drop());

  it.each([
    ['the blocks of slots', STORED_BLOCKHASHES, [SLOTS], ['pk_blocks']],
    ['stored blocks', STORED_BLOCKS, [SLOTS, SLOTS.map(filledKey)], ['pk_blocks']],
    ['blocks to delete', DELETE_BLOCKS, [SLOTS], ['pk_blocks']],
    ['blocks above the index', INDEX_END, [10], ['pk_blocks']],
    ['slots whose blocks are deleted', OLD_SLOTS, [SLOTS], ['pk_blocks', 'pk_dead_letters', 'pk_transactions']],
    ['transactions of slots', TRANSACTIONS_OF_SLOTS, [SLOTS], ['pk_transactions']],
    ['accounts to delete', DELETE_ACCOUNTS, [HASHES, IDS], ['uq_accounts_hash']],
    ['spends to delete', DELETE_SPENDS, [HASHES, IDS], ['uq_spends_hash']],
    ['transactions to delete', DELETE_TRANSACTIONS, [IDS], ['pk_transactions']],
    ['dead letters to delete', DELETE_DEAD_LETTERS, [SLOTS], ['pk_dead_letters']],
    ['appends to delete', DELETE_APPENDS, [SLOTS], ['idx_tree_appends_slot']],
    ['migrated leaves of slots', MIGRATED_LEAVES_OF_SLOTS, [SLOTS], ['pk_migrated_leaves', 'pk_trees']],
    ['migrated leaves to delete', DELETE_MIGRATED_LEAVES, [SLOTS], ['pk_migrated_leaves']],
    ['accounts created by others', CREATED_BY_OTHERS, [HASHES, IDS], ['uq_accounts_hash']],
    ['accounts spent by others', SPENT_BY_OTHERS, [HASHES, IDS], ['uq_spends_hash']],
    ['transactions of other slots', TRANSACTIONS_OF_OTHER_SLOTS, [IDS, SIGNATURES], ['uq_transactions_signature']],
  ])('use indexes to find %s', async (_, text, values, expected) => {
    const { first, later } = await explainStatement(database.dataSource, { name: 'revert', text }, values);
    for (const { indexes, scannedTables } of [first, later]) {
      expect(indexes.filter((name) => name !== 'pk_indexer_state')).toEqual(expected);
      expect(scannedTables.filter((name) => name !== 'indexer_state')).toEqual([]);
    }
  });
});
