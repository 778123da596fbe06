import { type Pubkey } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  filledKey,
  fillHolders,
  insertHolders,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { NothingIndexedError } from './errors';
import { Reader } from './reader';
import { findTokenHolders, type HolderRecord, TOKEN_HOLDERS } from './token-holders.query';

const key = (seed: number) => Buffer.alloc(32, seed) as Pubkey;
const MINT = key(0xa1);
const OTHER = key(0xa2);

/** More than one account can contain. */
const LARGEST = 2n ** 64n + 4n;
const LARGEST_FIRST: HolderRecord[] = [
  { owner: key(0x05), balance: LARGEST },
  { owner: key(0xff), balance: 2n ** 63n },
  { owner: key(0x80), balance: 2n ** 63n },
  { owner: key(0x00), balance: 2n ** 63n },
  { owner: key(0x07), balance: 100n },
  { owner: key(0x01), balance: 1n },
];

describe('findTokenHolders', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    const { dataSource } = database;
    await setIndexedSlot(dataSource, 77);
    await insertHolders(dataSource, MINT, LARGEST_FIRST.toReversed());
    await insertHolders(dataSource, OTHER, [{ owner: key(0x05), balance: 3n }]);
    await fillHolders(dataSource, 30_000, 10);
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  async function list(limit: number, after: HolderRecord | null, mint = MINT): Promise<HolderRecord[]> {
    const { slot, items } = await findTokenHolders(reader, mint, limit, after);
    expect(slot).toBe(77);
    return items;
  }

  it('lists largest balances first, then largest owners', async () => {
    expect(await list(1_000, null)).toEqual(LARGEST_FIRST);
    expect(await list(1_000, null, OTHER)).toEqual([{ owner: key(0x05), balance: 3n }]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('returns every holder once in pages of %i', async (limit) => {
    const listed: HolderRecord[] = [];
    for (let after: HolderRecord | null = null; ;) {
      const page = await list(limit, after);
      listed.push(...page);
      if (page.length < limit) break;
      after = page[page.length - 1];
    }
    expect(listed).toEqual(LARGEST_FIRST);
  });

  it.each([
    ['with limit 0', 0, null, []],
    ['after one of several holders with the same balance', 2, LARGEST_FIRST[1], LARGEST_FIRST.slice(2, 4)],
    ['after the last holder with a balance', 2, LARGEST_FIRST[3], LARGEST_FIRST.slice(4)],
    ['after a holder that does not exist', 2, { owner: key(0x81), balance: 2n ** 63n }, LARGEST_FIRST.slice(2, 4)],
    ['after a balance that does not exist', 9, { owner: key(0x00), balance: 101n }, LARGEST_FIRST.slice(4)],
    ['after the last holder', 9, LARGEST_FIRST[5], []],
    ['after the lowest possible position', 9, { owner: key(0x00), balance: 0n }, []],
    ['after the highest u64', 9, { owner: key(0xff), balance: 2n ** 64n - 1n }, LARGEST_FIRST.slice(1)],
    ['after the highest possible position', 9, { owner: key(0xff), balance: 10n ** 39n - 1n }, LARGEST_FIRST],
  ])('returns a page %s', async (_, limit, after, expected) => {
    expect(await list(limit, after)).toEqual(expected);
  });

  it('returns an empty page for an unknown mint', async () => {
    expect(await list(10, null, key(0xaa))).toEqual([]);
  });

  it('throws before the first slot is indexed', async () => {
    await setIndexedSlot(database.dataSource, null);
    await expect(findTokenHolders(reader, MINT, 10, null)).rejects.toThrow(NothingIndexedError);
    await setIndexedSlot(database.dataSource, 77);
  });

  it.each([
    ['first', 10n ** 39n - 1n],
    ['hundredth', 20_000n],
  ])('reads the %s page as one range of the index', async (_, balance) => {
    const values = [filledKey(0), balance, key(0xff), 10];
    const { first, later } = await explainStatement(database.dataSource, TOKEN_HOLDERS, values);
    for (const plan of [first, later]) {
      expect(plan.indexes).toEqual(['idx_token_holders_mint_balance_owner']);
      expect(plan.filteredIndexes).toEqual([]);
      expect(plan.scannedTables).toEqual(['indexer_state']);
      expect(plan.sortsBeforeLimit).toBe(false);
    }
  });
});
