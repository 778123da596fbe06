import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { hashToField } from '@fresnel/domain/state';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  type AccountRowToInsert,
  createTestDatabase,
  explainStatement,
  fillAccounts,
  insertAccount,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { COLD_ACCOUNTS, findColdAccounts, MAX_COLD_ACCOUNTS } from './cold-accounts.query';
import { NothingIndexedError, TooManyAccountsError } from './errors';
import { Reader } from './reader';

const key = (seed: number) => Buffer.alloc(32, seed) as Pubkey;
const hash = (seed: number) => Buffer.alloc(32, seed) as Hash;

const TREE = key(1);
const ADDRESS_TREES = [key(2), key(3)];
const V1_ADDRESS_TREE = key(4);
const PROGRAM = key(5);
const FILLED_TREE = key(6);
const [MINT, PDA, WALLET, ATA, UNKNOWN] = [0x11, 0x12, 0x13, 0x14, 0x15].map(key);

const row = (seed: number, slot: number, more: AccountRowToInsert): AccountRowToInsert => ({
  hash: hash(seed),
  slot_created: slot,
  tree: TREE,
  leaf_index: seed,
  owner: PROGRAM,
  lamports: '1',
  discriminator: Buffer.alloc(8, 1),
  data: Buffer.of(1),
  data_hash: hash(9),
  ...more,
});
const token = (seed: number, slot: number, more: AccountRowToInsert) =>
  row(seed, slot, { mint: MINT, amount: '1', is_frozen: false, data: null, ...more });

const ACCOUNTS = [
  row(0x21, 5, { onchain_pubkey: MINT }),
  row(0x22, 7, { onchain_pubkey: MINT }),
  row(0x23, 7, { onchain_pubkey: MINT, spent_slot: 8 }),
  row(0x24, 5, { address: hashToField(PDA, ADDRESS_TREES[1], PROGRAM) }),
  // A program that has no data owns it, and it is in a V1 tree.
  row(0x25, 5, { owner: UNKNOWN, address: hashToField(PDA, ADDRESS_TREES[0], UNKNOWN), data: null, data_hash: null }),
  row(0x26, 5, { address: hashToField(PDA, V1_ADDRESS_TREE, PROGRAM) }),
  token(0x27, 6, { token_owner: WALLET }),
  token(0x28, 6, { token_owner: ATA, ata_owner: WALLET }),
  // Only token accounts have a wallet.
  row(0x29, 6, { ata_owner: WALLET }),
];

describe('findColdAccounts', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    await insertTree(dataSource, { tree: TREE, queue: TREE, treeType: 3 });
    await insertTree(dataSource, { tree: FILLED_TREE, queue: FILLED_TREE, treeType: 1 });
    for (const tree of ADDRESS_TREES) await insertTree(dataSource, { tree, queue: tree, treeType: 4 });
    await insertTree(dataSource, { tree: V1_ADDRESS_TREE, queue: V1_ADDRESS_TREE, treeType: 2 });
    for (const account of ACCOUNTS) await insertAccount(dataSource, account);
    await fillAccounts(dataSource, FILLED_TREE, 20_000);
    await listUnspentAccounts(dataSource);
    await dataSource.query(`ANALYZE accounts`);
    await setIndexedSlot(dataSource, 20);
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  const seedsOf = async (keys: readonly Pubkey[]) => {
    const { slot, items } = await findColdAccounts(reader, keys);
    expect(slot).toBe(20);
    return items.map((accounts) => accounts.map(({ account }) => account.hash[0]));
  };

  it.each([
    ['a special account, the newest first, without spent ones', MINT, [0x22, 0x21]],
    ['a key at an address that a program derived in a V2 tree', PDA, [0x24]],
    ['a wallet, with its associated token accounts', WALLET, [0x27, 0x28]],
    ['an associated token account', ATA, [0x28]],
    ['an unknown key', UNKNOWN, []],
  ])('finds the accounts of %s', async (_, of, seeds) => {
    expect(await seedsOf([of])).toEqual([seeds]);
  });

  it('answers each key, also twice', async () => {
    expect(await seedsOf([UNKNOWN, ATA, MINT, ATA])).toEqual([[], [0x28], [0x22, 0x21], [0x28]]);
  });

  it('returns the wallet of an associated token account', async () => {
    const { items } = await findColdAccounts(reader, [WALLET]);
    expect(items[0].map(({ ataOwner }) => ataOwner)).toEqual([null, WALLET]);
  });

  it('reads again if a program was indexed meanwhile', async () => {
    const program = key(7);
    const address = hashToField(UNKNOWN, ADDRESS_TREES[0], program);
    const indexOne = async () => {
      await insertAccount(database.dataSource, row(0x31, 5, { owner: program, address }));
      await listUnspentAccounts(database.dataSource);
    };
    let reads = 0;
    const racing = {
      query: async (statement: { name: string; text: string }, values: unknown[]) => {
        const rows = await reader.query(statement, values);
        if (reads++ === 0) await indexOne();
        return rows;
      },
    } as Pick<Reader, 'query'> as Reader;
    const { items } = await findColdAccounts(racing, [UNKNOWN]);
    expect(items[0].map(({ account }) => account.hash[0])).toEqual([0x31]);
    expect(reads).toBe(4);
  });

  it('refuses keys with more accounts than fit into an answer', async () => {
    await database.dataSource.query(
      `INSERT INTO unspent_accounts (owner_digest, token_owner_digest, leaf_index, hash, mint)
       SELECT key_digest($1), key_digest($1), 0, a.hash, $2 FROM accounts a WHERE octet_length(a.hash) = 32 LIMIT $3`,
      [UNKNOWN, MINT, MAX_COLD_ACCOUNTS + 1],
    );
    await expect(findColdAccounts(reader, [UNKNOWN])).rejects.toThrow(TooManyAccountsError);
    await listUnspentAccounts(database.dataSource);
  });

  it('throws before the first slot is indexed', async () => {
    await setIndexedSlot(database.dataSource, null);
    await expect(findColdAccounts(reader, [MINT])).rejects.toThrow(NothingIndexedError);
    await setIndexedSlot(database.dataSource, 20);
  });

  it('reads accounts by indexes only', async () => {
    const { first, later } = await explainStatement(database.dataSource, COLD_ACCOUNTS, [[MINT], [hash(1)], [1n]]);
    for (const { indexes, scannedTables } of [first, later]) {
      expect(indexes).toEqual(
        expect.arrayContaining([
          'idx_unspent_accounts_onchain',
          'idx_unspent_accounts_token_owner',
          'idx_accounts_address',
          'uq_accounts_hash',
        ]),
      );
      expect(scannedTables).not.toContain('accounts');
      expect(scannedTables).not.toContain('unspent_accounts');
    }
  });
});
