import {
  createTestDatabase,
  explainStatement,
  fillAccounts,
  filledKey,
  fillSignatures,
  fillTransactions,
  type TestDatabase,
} from '@fresnel/testing/store';
import { CONSUMED_IN_OTHER_SLOTS, CREATED_IN_OTHER_SLOTS } from './accounts.statement';
import { DELETE_BLOCKS, STORED_BLOCKHASHES, STORED_BLOCKS } from './blocks.statement';
import { FIND_LOWER_SLOT } from './indexed-slot.statement';
import { OWNER_SIGNATURES, TOKEN_OWNER_SIGNATURES } from './owner-signatures.statement';
import { DELETE_HOLDER_CHANGES, FIND_HASHES, LIST_REMOVED_SIGNATURES, REVERT_FACTS } from './revert-accounts.statement';
import { DELETE_DEAD_LETTERS, DELETE_TRANSACTIONS, TRANSACTIONS_OF_OTHER_SLOTS } from './transactions.statement';
import { DELETE_APPENDS } from './trees.statement';

const ROWS = 30_000;
const SLOTS = Array.from({ length: 31 }, (_, at) => 20_000 + at);
const HASHES = Array.from({ length: 300 }, (_, at) => filledKey(20_000 + at));
const SIGNATURES = SLOTS.map((slot) => Buffer.concat([filledKey(slot), filledKey(slot)]));
const OWNERS = SLOTS.map((slot) => filledKey(slot % 100));

/** Inserts blocks, each with an append and a dead letter. */
async function fillBlocks({ dataSource }: TestDatabase): Promise<void> {
  await dataSource.query(
    `INSERT INTO blocks SELECT i, i - 1, sha256(int4send(i)), sha256(int4send(i - 1)), i, i FROM generate_series(1, $1::integer) i`,
    [ROWS],
  );
  await dataSource.query(
    `INSERT INTO tree_appends SELECT sha256(int4send(i % 10)), i, i FROM generate_series(1, $1::integer) i`,
    [ROWS],
  );
  await dataSource.query(
    `INSERT INTO dead_letters SELECT i, 0, NULL, '{}', '{}' FROM generate_series(1, $1::integer) i`,
    [ROWS],
  );
  await dataSource.query(`ANALYZE blocks, tree_appends, dead_letters`);
}

describe('the statements that revert slots', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await fillBlocks(database);
    await fillAccounts(database.dataSource, filledKey(0), ROWS);
    await fillTransactions(database.dataSource, ROWS);
    await fillSignatures(database.dataSource, 'owner_signatures', ROWS, 100);
    await fillSignatures(database.dataSource, 'token_owner_signatures', ROWS, 100);
  });
  afterAll(() => database.drop());

  const listed = [OWNERS, SLOTS, SIGNATURES];
  const changing = [HASHES, SLOTS];
  it.each([
    ['the blocks of slots', STORED_BLOCKHASHES, [SLOTS], ['pk_blocks']],
    ['stored blocks', STORED_BLOCKS, [SLOTS, SLOTS.map(filledKey)], ['pk_blocks']],
    ['blocks to delete', DELETE_BLOCKS, [SLOTS], ['pk_blocks']],
    ['the block that becomes the indexed slot', FIND_LOWER_SLOT, [1, 20_000, 20_031], ['pk_blocks']],
    ['accounts to find', FIND_HASHES, [SLOTS], ['idx_transactions_slot']],
    ['changes of balances', DELETE_HOLDER_CHANGES, changing, ['pk_accounts', 'pk_holder_changes']],
    ['signatures that may be deleted', LIST_REMOVED_SIGNATURES, changing, ['pk_accounts']],
    ['facts', REVERT_FACTS, changing, ['pk_accounts']],
    [
      'signatures to delete',
      OWNER_SIGNATURES.deleteUnreferenced,
      listed,
      ['pk_accounts', 'pk_owner_signatures', 'pk_transactions'],
    ],
    [
      'token owners’ signatures to delete',
      TOKEN_OWNER_SIGNATURES.deleteUnreferenced,
      listed,
      ['pk_accounts', 'pk_token_owner_signatures', 'pk_transactions'],
    ],
    ['transactions to delete', DELETE_TRANSACTIONS, [SLOTS], ['idx_transactions_slot']],
    ['dead letters to delete', DELETE_DEAD_LETTERS, [SLOTS], ['pk_dead_letters']],
    ['appends to delete', DELETE_APPENDS, [SLOTS], ['idx_tree_appends_slot']],
    ['accounts created in other slots', CREATED_IN_OTHER_SLOTS, [OWNERS, SLOTS], ['pk_accounts']],
    ['accounts consumed in other slots', CONSUMED_IN_OTHER_SLOTS, [OWNERS, SLOTS], ['pk_accounts']],
    ['transactions of other slots', TRANSACTIONS_OF_OTHER_SLOTS, [SIGNATURES, SLOTS], ['pk_transactions']],
  ])('use indexes to find %s', async (_, text, values, expected) => {
    const { first, later } = await explainStatement(database.dataSource, { name: 'revert', text }, values);
    for (const { indexes, scannedTables } of [first, later]) {
      expect(indexes.filter((name) => name !== 'pk_indexer_state')).toEqual(expected);
      expect(scannedTables.filter((name) => name !== 'indexer_state')).toEqual([]);
    }
  });
});
