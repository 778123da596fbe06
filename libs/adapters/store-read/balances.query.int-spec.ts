import { type Pubkey } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  fillHolders,
  insertAccount,
  insertHolders,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { findOwnerLamports, findTokenBalances, OWNER_LAMPORTS, TOKEN_BALANCES } from './balances.query';
import { NothingIndexedError } from './errors';
import { Reader } from './reader';

const key = (seed: number) => Buffer.alloc(32, seed) as Pubkey;
const OWNER = key(0xb1);
/** More than one account can contain. */
const LARGEST = 2n ** 64n + 4n;

describe('balances of an owner', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    const { dataSource } = database;
    for (const mint of [3, 1, 2]) await insertHolders(dataSource, key(mint), [{ owner: OWNER, balance: BigInt(mint) }]);
    await insertHolders(dataSource, key(0xff), [{ owner: OWNER, balance: LARGEST }]);
    await insertHolders(dataSource, key(1), [{ owner: key(0xb2), balance: 9n }]);
    await fillHolders(dataSource, 20_000, 10);
    await insertTree(dataSource, { tree: key(1), queue: key(2), treeType: 1 });
    const account = { tree: key(1), owner: OWNER, slot_created: 5, leaf_index: 1 };
    await insertAccount(dataSource, { ...account, hash: key(0x21), lamports: String(2n ** 64n - 1n) });
    await insertAccount(dataSource, { ...account, hash: key(0x22), lamports: 5 });
    await insertAccount(dataSource, { ...account, hash: key(0x23), lamports: 6, spent_slot: 7 });
    await listUnspentAccounts(dataSource);
    await setIndexedSlot(dataSource, 77);
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  it('sums the lamports of unspent accounts', async () => {
    expect(await findOwnerLamports(reader, OWNER)).toEqual({ slot: 77, lamports: LARGEST });
    expect(await findOwnerLamports(reader, key(9))).toEqual({ slot: 77, lamports: 0n });
  });

  it('answers requests of one turn with the lamports of each owner', async () => {
    const owners = [key(9), OWNER, key(9), OWNER];
    const found = await Promise.all(owners.map((owner) => findOwnerLamports(reader, owner)));
    expect(found.map(({ lamports }) => lamports)).toEqual([0n, LARGEST, 0n, LARGEST]);
  });

  it.each([1, 2, 3, 4, 5])('lists token balances by mint in pages of %i', async (limit) => {
    const listed: bigint[] = [];
    for (let after: Pubkey | null = null; ;) {
      const { slot, items } = await findTokenBalances(reader, OWNER, null, limit, after);
      expect(slot).toBe(77);
      listed.push(...items.map(({ balance }) => balance));
      if (items.length < limit) break;
      after = items[items.length - 1].mint;
    }
    expect(listed).toEqual([1n, 2n, 3n, LARGEST]);
  });

  it.each([
    ['one mint', key(2), null, [2n]],
    ['one mint, after a lower one', key(2), key(1), [2n]],
    ['one mint, after itself', key(2), key(2), []],
    ['a mint without balance', key(9), null, []],
  ])('lists the balance of %s', async (_, mint, after, expected) => {
    const { items } = await findTokenBalances(reader, OWNER, mint, 10, after);
    expect(items.map(({ balance }) => balance)).toEqual(expected);
  });

  it('throws before the first slot is indexed', async () => {
    await setIndexedSlot(database.dataSource, null);
    await expect(findOwnerLamports(reader, OWNER)).rejects.toThrow(NothingIndexedError);
    await expect(findTokenBalances(reader, OWNER, null, 1, null)).rejects.toThrow(NothingIndexedError);
    await setIndexedSlot(database.dataSource, 77);
  });

  it('uses the index of owners for lamports', async () => {
    const { first, later } = await explainStatement(database.dataSource, OWNER_LAMPORTS, [[OWNER, key(9)]]);
    for (const { indexes, scannedTables } of [first, later]) {
      expect([indexes, scannedTables]).toEqual([['pk_owner_lamports'], ['indexer_state']]);
    }
  });

  it('reads a page of token balances as one range of the index', async () => {
    const values = [OWNER, key(1), 10, Buffer.alloc(0), key(0xff)];
    const { first, later } = await explainStatement(database.dataSource, TOKEN_BALANCES, values);
    for (const { indexes, scannedTables } of [first, later]) {
      expect([indexes, scannedTables]).toEqual([['pk_token_holders'], ['indexer_state']]);
    }
  });
});
