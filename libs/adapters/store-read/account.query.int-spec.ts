import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  fillAccounts,
  filledKey,
  insertAccount,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { ACCOUNTS_BY_ADDRESS, ACCOUNTS_BY_HASH, findAccount, findAccounts } from './account.query';
import { NothingIndexedError } from './errors';
import { LEAF_PLACES } from './leaf-places.query';
import { Reader } from './reader';

const key = (seed: number) => Buffer.alloc(32, seed) as Pubkey;
const hash = (seed: number) => Buffer.alloc(32, seed) as Hash;
const V1 = { tree: key(1), queue: key(2), treeType: 1 };
const V2 = { tree: key(3), queue: key(4), treeType: 3, appendedLeaves: 10 };
const MAX_U64 = 2n ** 64n - 1n;

/** The columns that every account has. */
const plain = (seed: number) => ({
  hash: hash(seed),
  slot_created: 5,
  tree: V1.tree,
  leaf_index: seed,
  seq: 9,
  owner: key(0xb1),
  lamports: 7,
});

describe('findAccount', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    await insertTree(database.dataSource, V1);
    await insertTree(database.dataSource, V2);
    await setIndexedSlot(database.dataSource, 77);
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });
  beforeEach(() => database.dataSource.query('TRUNCATE accounts, spends'));

  const insert = (...rows: Parameters<typeof insertAccount>[1][]) =>
    Promise.all(rows.map((row) => insertAccount(database.dataSource, row)));

  it('returns all values of an account exactly', async () => {
    await insert({
      ...plain(20),
      leaf_index: 2 ** 32,
      seq: String(MAX_U64),
      lamports: String(MAX_U64),
      address: hash(0x51),
      discriminator: Buffer.from('0100000000000080', 'hex'),
      data: Buffer.from('00ff', 'hex'),
      data_hash: hash(0x52),
      mint: key(0xa1),
      token_owner: key(0xc1),
      amount: String(MAX_U64),
      delegate: key(0xd1),
      is_frozen: true,
      tlv: Buffer.from('aa', 'hex'),
    });
    expect(await findAccount(reader, { hash: hash(20) })).toEqual({
      slot: 77,
      account: {
        hash: hash(20),
        owner: key(0xb1),
        lamports: MAX_U64,
        address: hash(0x51),
        data: { discriminator: 2n ** 63n + 1n, bytes: Buffer.from('00ff', 'hex'), dataHash: hash(0x52) },
        tree: V1.tree,
        queue: V1.queue,
        treeType: 'stateV1',
        leafIndex: 2 ** 32,
        seq: MAX_U64,
        slotCreated: 5,
        isQueued: false,
        token: {
          mint: key(0xa1),
          owner: key(0xc1),
          amount: MAX_U64,
          delegate: key(0xd1),
          state: 'frozen',
          tlv: Buffer.from('aa', 'hex'),
        },
        nullification: null,
      },
    });
  });

  it('distinguishes zero and empty from missing values', async () => {
    const empty = { discriminator: Buffer.alloc(8), data: Buffer.alloc(0), data_hash: hash(0) };
    await insert(
      { ...plain(20), lamports: 0, seq: 0, leaf_index: 0, ...empty, mint: key(0), token_owner: key(0), amount: 0 },
      { ...plain(21), seq: null },
    );
    const [zeros, nothing] = await Promise.all([20, 21].map((seed) => findAccount(reader, { hash: hash(seed) })));
    expect(zeros.account).toMatchObject({
      lamports: 0n,
      seq: 0n,
      leafIndex: 0,
      data: { discriminator: 0n, bytes: Buffer.alloc(0) },
      token: { amount: 0n, delegate: null, state: 'initialized', tlv: null },
    });
    expect(nothing.account).toMatchObject({ seq: null, address: null, data: null, token: null });
  });

  it.each([
    ['an appended leaf is not queued', V2, 9, false],
    ['the next leaf is queued', V2, 10, true],
    ['leaves of a V1 tree are never queued', V1, 1_000, false],
  ])('%s', async (_, tree, leafIndex, isQueued) => {
    await insert({ ...plain(20), tree: tree.tree, leaf_index: leafIndex });
    const { account } = await findAccount(reader, { hash: hash(20) });
    expect(account).toMatchObject({ isQueued, queue: tree.queue });
  });

  it.each([
    ['of an unknown account', null],
    ['of a spent account', { ...plain(20), address: hash(0x51), spent_slot: 6 }],
    ['of a consumed account whose creation is not stored yet', { hash: hash(20), spent_slot: 6 }],
    ['of a leaf whose body could not be parsed', { ...plain(20), address: hash(0x51), owner: null }],
  ])('returns null for hash or address %s', async (_, row) => {
    if (row) await insert(row);
    const nothing = { slot: 77, account: null };
    expect(await findAccount(reader, { hash: hash(20) })).toEqual(nothing);
    expect(await findAccount(reader, { address: hash(0x51) })).toEqual(nothing);
  });

  it('finds the current account of an address', async () => {
    const address = hash(0x51);
    await insert(
      { ...plain(20), address, slot_created: 3, spent_slot: 4 },
      { ...plain(21), address, slot_created: 4 },
      { ...plain(22), address: hash(0x52), slot_created: 9 },
    );
    expect((await findAccount(reader, { address })).account?.hash).toEqual(hash(21));
    // Slot 6 arrives before the slot that consumes the account from slot 4.
    await insert({ ...plain(23), address, slot_created: 6 });
    expect((await findAccount(reader, { address })).account?.hash).toEqual(hash(23));
  });

  it('throws before the first slot is indexed', async () => {
    await insert(plain(20));
    await setIndexedSlot(database.dataSource, null);
    await expect(findAccount(reader, { hash: hash(20) })).rejects.toThrow(NothingIndexedError);
    await setIndexedSlot(database.dataSource, 77);
  });

  it('answers requests of one turn with the account that each asked for', async () => {
    await insert(...[20, 21, 22].map((seed) => ({ ...plain(seed), address: hash(seed + 0x40) })));
    const statements = jest.spyOn(reader, 'query');
    const seeds = [22, 99, 20, 22, 21];
    const found = await Promise.all(
      seeds.flatMap((seed) => [
        findAccount(reader, { hash: hash(seed) }),
        findAccount(reader, { address: hash(seed + 0x40) }),
      ]),
    );
    const expected = [hash(22), undefined, hash(20), hash(22), hash(21)];
    expect(found.map(({ account }) => account?.hash)).toEqual(expected.flatMap((each) => [each, each]));
    expect(statements.mock.calls.map(([statement]) => statement)).toEqual([ACCOUNTS_BY_HASH, ACCOUNTS_BY_ADDRESS]);
    statements.mockRestore();
  });

  it('finds several accounts in the order of the request, each as often as it is asked for', async () => {
    const addressed = (seed: number, more = {}) => ({ ...plain(seed), address: hash(seed + 0x40), ...more });
    await insert(addressed(20), addressed(21, { spent_slot: 6 }), addressed(22));
    const seeds = [22, 21, 99, 20, 22];
    const expected = [hash(22), undefined, undefined, hash(20), hash(22)];
    for (const keys of [
      { hashes: seeds.map((seed) => hash(seed)) },
      { addresses: seeds.map((seed) => hash(seed + 0x40)) },
    ]) {
      const { slot, items } = await findAccounts(reader, keys);
      expect([slot, items.map((account) => account?.hash)]).toEqual([77, expected]);
    }
    expect(await findAccounts(reader, { hashes: [] })).toEqual({ slot: 77, items: [] });
  });

  it.each([
    ['hashes', ACCOUNTS_BY_HASH, 'uq_accounts_hash'],
    ['addresses', ACCOUNTS_BY_ADDRESS, 'idx_accounts_address'],
    ['leaves', LEAF_PLACES, 'uq_accounts_hash'],
  ])('uses the index for one and several %s', async (_, statement, index) => {
    await fillAccounts(database.dataSource, V1.tree, 30_000);
    for (const keys of [[filledKey(15_001)], [filledKey(1), filledKey(2)]]) {
      const { first, later } = await explainStatement(database.dataSource, statement, [keys]);
      for (const { indexes, scannedTables } of [first, later]) {
        expect(indexes).toContain(index);
        expect(scannedTables).not.toContain('accounts');
      }
    }
  });
});
