import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { encodeTokenData } from '@fresnel/domain/state';
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
import { type AccountRecord } from './account-record';
import { NothingIndexedError, TooManyAccountsError } from './errors';
import {
  type DataFilter,
  FILTERED_OWNER_ACCOUNTS,
  findOwnerAccounts,
  OWNER_ACCOUNTS,
  type OwnerAccountPosition,
} from './owner-accounts.query';
import { Reader } from './reader';
import { findTokenAccounts, TOKEN_ACCOUNTS, type TokenAccountPosition } from './token-accounts.query';

const key = (seed: number) => Buffer.alloc(32, seed) as Pubkey;
const hash = (seed: number) => Buffer.alloc(32, seed) as Hash;
const TREES = [key(1), key(2)];
const FILLED_TREE = key(3);
const OWNER = key(0xb1);
const PROGRAM = key(0xb2);
const TOKEN_OWNER = key(0xc1);
const DELEGATE = key(0xd1);
const [MINT, OTHER_MINT] = [key(0xa1), key(0xa2)];

const account = (seed: number, leafIndex: number, more: AccountRowToInsert = {}): AccountRowToInsert => ({
  hash: hash(seed),
  slot_created: 5,
  tree: TREES[0],
  leaf_index: leafIndex,
  owner: OWNER,
  lamports: 7,
  ...more,
});
const data = (hex: string) => ({
  discriminator: Buffer.alloc(8, 1),
  data: Buffer.from(hex, 'hex'),
  data_hash: hash(0x77),
});
const token = (seed: number, mint: Pubkey, more: AccountRowToInsert = {}): AccountRowToInsert =>
  account(seed, seed, {
    owner: PROGRAM,
    ...data(''),
    data: null,
    mint,
    token_owner: TOKEN_OWNER,
    amount: seed,
    ...more,
  });

const hashesOf = (accounts: Iterable<AccountRecord>) => Array.from(accounts, ({ hash }) => hash[0]);

describe('lists of accounts', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    const { dataSource } = database;
    for (const tree of [...TREES, FILLED_TREE]) await insertTree(dataSource, { tree, queue: tree, treeType: 1 });
    await fillAccounts(dataSource, FILLED_TREE, 20_000);
    const rows = [
      account(0x33, 9, data('0102')),
      account(0x22, 4, { tree: TREES[1], ...data('010203') }),
      account(0x55, 4, { ...data('ff0203') }),
      account(0x11, 2 ** 33),
      account(0x44, 6, { ...data(''), spent_slot: 6 }),
      account(0x66, 5, { owner: null }),
      account(0x77, 5, { ...data('') }),
      token(0x81, OTHER_MINT),
      token(0x82, MINT, {
        delegate: DELEGATE,
        is_frozen: true,
        tlv: Buffer.from('0100', 'hex'),
        amount: String(2n ** 64n - 2n),
      }),
      token(0x83, MINT, { delegate: key(0xd2) }),
      token(0x84, MINT, { delegate: DELEGATE, spent_slot: 6 }),
      token(0x85, OTHER_MINT, { delegate: DELEGATE }),
      token(0x86, MINT, { token_owner: key(0xc2) }),
    ];
    for (const row of rows) await insertAccount(dataSource, row);
    await listUnspentAccounts(dataSource);
    await setIndexedSlot(dataSource, 77);
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  describe('findOwnerAccounts', () => {
    const IN_ORDER = [0x22, 0x55, 0x77, 0x33, 0x11];

    it('lists unspent accounts of all trees by leaf index, then by hash', async () => {
      const { slot, items } = await findOwnerAccounts(reader, OWNER, 1_000, null);
      expect([slot, hashesOf(items)]).toEqual([77, IN_ORDER]);
      expect(Array.from(items, ({ tree }) => tree[0])).toEqual([2, 1, 1, 1, 1]);
      expect(hashesOf((await findOwnerAccounts(reader, key(0xbb), 10, null)).items)).toEqual([]);
    });

    it.each([1, 2, 3, 4, 5, 6])('returns every account once in pages of %i', async (limit) => {
      const listed: number[] = [];
      for (let after: OwnerAccountPosition | null = null; ;) {
        const { items } = await findOwnerAccounts(reader, OWNER, limit, after);
        listed.push(...hashesOf(items));
        if (items.length < limit) break;
        const last = items.at(-1);
        after = last ? { leafIndex: BigInt(last.leafIndex), hash: last.hash } : null;
      }
      expect(listed).toEqual(IN_ORDER);
    });

    it.each<[string, DataFilter[], number[]]>([
      ['bytes at the start', [{ offset: 0, bytes: Buffer.from('01', 'hex') }], [0x22, 0x33]],
      ['bytes at an offset', [{ offset: 1, bytes: Buffer.from('0203', 'hex') }], [0x22, 0x55]],
      [
        'several conditions',
        [
          { offset: 1, bytes: Buffer.from('02', 'hex') },
          { offset: 0, bytes: Buffer.from('ff', 'hex') },
        ],
        [0x55],
      ],
      ['no bytes, which all data have', [{ offset: 9, bytes: Buffer.alloc(0) }], [0x22, 0x55, 0x77, 0x33]],
      ['bytes behind the data', [{ offset: 2 ** 40, bytes: Buffer.of(1) }], []],
    ])('filters by %s', async (_, filters, expected) => {
      expect(hashesOf((await findOwnerAccounts(reader, OWNER, 1_000, null, filters)).items)).toEqual(expected);
      const listed: number[] = [];
      for (let after: OwnerAccountPosition | null = null; ;) {
        const { items } = await findOwnerAccounts(reader, OWNER, 1, after, filters);
        listed.push(...hashesOf(items));
        const last = items.at(-1);
        if (!last) break;
        after = { leafIndex: BigInt(last.leafIndex), hash: last.hash };
      }
      expect(listed).toEqual(expected);
    });

    it('filters token accounts by data that follow from their columns', async () => {
      const { items } = await findOwnerAccounts(reader, PROGRAM, 1_000, null);
      expect(hashesOf(items)).toEqual([0x81, 0x82, 0x83, 0x85, 0x86]);
      for (const { token, hash } of items) {
        const bytes = token && encodeTokenData(token);
        const filters = [{ offset: 0, bytes: bytes ?? Buffer.alloc(0) }];
        expect(hashesOf((await findOwnerAccounts(reader, PROGRAM, 9, null, filters)).items)).toEqual([hash[0]]);
      }
    });

    it('refuses to filter the accounts of an owner who has more than the limit', async () => {
      const find = (max: number) =>
        findOwnerAccounts(reader, PROGRAM, 9, null, [{ offset: 0, bytes: Buffer.of() }], max);
      expect((await find(5)).items).toHaveLength(5);
      expect((await find(6)).filteredRows).toBe(5);
      await expect(find(4)).rejects.toThrow(TooManyAccountsError);
    });
  });

  describe('findTokenAccounts', () => {
    it('lists token accounts of an owner by mint, then by hash', async () => {
      const { slot, items } = await findTokenAccounts(reader, 'token_owner', TOKEN_OWNER, null, 1_000, null);
      expect([slot, hashesOf(items)]).toEqual([77, [0x82, 0x83, 0x81, 0x85]]);
      expect(items.at(0)?.token).toMatchObject({ mint: MINT, owner: TOKEN_OWNER, delegate: DELEGATE, state: 'frozen' });
    });

    it.each([
      ['token_owner', TOKEN_OWNER, null, [0x82, 0x83, 0x81, 0x85]],
      ['token_owner', TOKEN_OWNER, OTHER_MINT, [0x81, 0x85]],
      ['delegate', DELEGATE, null, [0x82, 0x85]],
      ['delegate', DELEGATE, MINT, [0x82]],
      ['delegate', TOKEN_OWNER, null, []],
    ] as const)('returns every account once by %s in pages of 1 to 5', async (by, owner, mint, expected) => {
      for (let limit = 1; limit <= 5; limit++) {
        const listed: number[] = [];
        for (let after: TokenAccountPosition | null = null; ;) {
          const { items } = await findTokenAccounts(reader, by, owner, mint, limit, after);
          listed.push(...hashesOf(items));
          if (items.length < limit) break;
          const last = items.at(-1);
          after = last ? { mint: last.token.mint, hash: last.hash } : null;
        }
        expect(listed).toEqual(expected);
      }
    });
  });

  it('throws before the first slot is indexed', async () => {
    await setIndexedSlot(database.dataSource, null);
    await expect(findOwnerAccounts(reader, OWNER, 1, null)).rejects.toThrow(NothingIndexedError);
    await expect(findTokenAccounts(reader, 'delegate', OWNER, null, 1, null)).rejects.toThrow(NothingIndexedError);
    await setIndexedSlot(database.dataSource, 77);
  });

  it.each([
    [OWNER_ACCOUNTS, [FILLED_TREE, 5_001, hash(0), 10], 'idx_unspent_accounts_owner'],
    [FILTERED_OWNER_ACCOUNTS, [OWNER, 4, hash(0x22), 10, [1], [Buffer.of(1)], 1_000_000], 'idx_unspent_accounts_owner'],
    [TOKEN_ACCOUNTS.token_owner.ofAllMints, [TOKEN_OWNER, MINT, hash(0), 10], 'idx_unspent_accounts_token_owner'],
    [TOKEN_ACCOUNTS.token_owner.ofOneMint, [TOKEN_OWNER, MINT, hash(0), 10, MINT], 'idx_unspent_accounts_token_owner'],
    [TOKEN_ACCOUNTS.delegate.ofAllMints, [DELEGATE, MINT, hash(0), 10], 'idx_unspent_accounts_delegate'],
  ])('reads a page as a range of an index (list %#)', async (statement, values, index) => {
    const { first, later } = await explainStatement(database.dataSource, statement, values);
    for (const { indexes, scannedTables } of [first, later]) {
      expect(indexes).toContain(index);
      expect(scannedTables).not.toContain('accounts');
      expect(scannedTables).not.toContain('unspent_accounts');
    }
  });
});
