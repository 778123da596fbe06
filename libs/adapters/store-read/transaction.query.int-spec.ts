import { type Hash, type Pubkey, type Signature } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  fillAccounts,
  filledKey,
  fillTransactions,
  insertAccount,
  insertTransaction,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { Reader } from './reader';
import { findTransaction, TRANSACTION, type TransactionRecord } from './transaction.query';

const key = (seed: number) => Buffer.alloc(32, seed) as Pubkey;
const hash = (seed: number) => Buffer.alloc(32, seed) as Hash;
const signature = (seed: number) => Buffer.alloc(64, seed) as Signature;
const TREE = { tree: key(1), queue: key(2), treeType: 3 };
const V1_TREE = { tree: key(3), queue: key(4), treeType: 1 };
const JSON_TEXT = '{"meta": {"fee":18446744073709551615},"z":1,"a":"\\u0001\\\\"}';

describe('findTransaction', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    await insertTree(database.dataSource, TREE);
    await insertTree(database.dataSource, V1_TREE);
    await setIndexedSlot(database.dataSource, 1_000_000);
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });
  beforeEach(() => database.dataSource.query('TRUNCATE accounts, transactions, migrated_leaves'));

  const insert = (consumed: Hash[], created: Hash[]) =>
    insertTransaction(database.dataSource, { signature: signature(1), slot: 5, json: JSON_TEXT, consumed, created });
  const insertAccounts = (...seeds: number[]) =>
    Promise.all(
      seeds.map((seed) =>
        insertAccount(database.dataSource, {
          hash: hash(seed),
          slot_created: 5,
          tree: TREE.tree,
          leaf_index: seed,
          owner: key(0xb1),
          lamports: seed,
        }),
      ),
    );
  const hashesOf = (found: TransactionRecord | null) =>
    found && [found.consumed, found.created].map((accounts) => accounts.map((account) => account.hash[0]));

  it('returns null for an unknown transaction', async () => {
    await insert([], []);
    expect(await findTransaction(reader, signature(2))).toBeNull();
  });

  it('returns the text of the node unchanged, and empty lists without accounts', async () => {
    await insert([], []);
    expect(await findTransaction(reader, signature(1))).toEqual({ json: JSON_TEXT, consumed: [], created: [] });
  });

  it('returns accounts in the order of the events, not of their hashes', async () => {
    await insertAccounts(0x31, 0x32, 0x33, 0x34, 0x35);
    await insert([hash(0x35), hash(0x31), hash(0x33)], [hash(0x34), hash(0x32)]);
    expect(hashesOf(await findTransaction(reader, signature(1)))).toEqual([
      [0x35, 0x31, 0x33],
      [0x34, 0x32],
    ]);
  });

  it('lists an account twice if the transaction created and consumed it', async () => {
    await insertAccounts(0x31);
    await insert([hash(0x31)], [hash(0x31)]);
    expect(hashesOf(await findTransaction(reader, signature(1)))).toEqual([[0x31], [0x31]]);
  });

  it('returns created accounts also if they have been consumed since', async () => {
    await insertAccount(database.dataSource, {
      hash: hash(0x31),
      slot_created: 5,
      tree: TREE.tree,
      leaf_index: 3,
      owner: key(0xb1),
      lamports: 8,
      spent_slot: 6,
      tx_hash: hash(0x61),
      nullifier: hash(0x62),
    });
    await insert([], [hash(0x31)]);
    const found = await findTransaction(reader, signature(1));
    expect(found?.created).toMatchObject([
      {
        lamports: 8n,
        slotCreated: 5,
        treeType: 'stateV2',
        nullification: { txHash: hash(0x61), nullifier: hash(0x62) },
      },
    ]);
  });

  it('returns an account whose leaf has migrated in the tree in which it was created, and then in its present one', async () => {
    await insertAccounts(0x31);
    await database.dataSource.query(
      `INSERT INTO migrated_leaves
       SELECT 6, v2.id, 0, $1, NULL, 49, v1.id, 7, 8 FROM trees v1, trees v2 WHERE v1.tree = $2 AND v2.tree = $3`,
      [hash(0x31), V1_TREE.tree, TREE.tree],
    );
    await insert([hash(0x31)], [hash(0x31)]);
    const found = await findTransaction(reader, signature(1));
    expect(found?.created).toMatchObject([{ tree: V1_TREE.tree, treeType: 'stateV1', leafIndex: 7, seq: 8n }]);
    expect(found?.consumed).toMatchObject([{ tree: TREE.tree, treeType: 'stateV2', leafIndex: 0x31, seq: null }]);
  });

  it('omits accounts of which only the hash is stored', async () => {
    await insertAccounts(0x31);
    await insertAccount(database.dataSource, { hash: hash(0x32), spent_slot: 5 });
    await insert([hash(0x33), hash(0x32), hash(0x31)], []);
    expect(hashesOf(await findTransaction(reader, signature(1)))).toEqual([[0x31], []]);
  });

  it('uses the primary keys of the transaction and its accounts', async () => {
    await fillAccounts(database.dataSource, TREE.tree, 30_000);
    await fillTransactions(database.dataSource, 30_000);
    const one = Buffer.concat([filledKey(9_000), filledKey(9_000)]);
    expect((await findTransaction(reader, one as Signature))?.created).toMatchObject([{ leafIndex: 9_001 }]);
    const { first, later } = await explainStatement(database.dataSource, TRANSACTION, [one]);
    for (const { indexes, scannedTables } of [first, later]) {
      expect(indexes).toEqual([
        'idx_migrated_leaves_hash',
        'pk_tree_appends',
        'pk_trees',
        'uq_accounts_hash',
        'uq_spends_hash',
        'uq_transactions_signature',
      ]);
      expect(scannedTables).toEqual(['indexer_state']); // it has one row
    }
  });
});
