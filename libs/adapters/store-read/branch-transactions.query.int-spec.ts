import { type Pubkey } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  fillAccounts,
  filledKey,
  fillSignatures,
  fillTransactions,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import {
  AMENDED_TRANSACTIONS,
  BRANCH_TRANSACTIONS,
  findAmendedPage,
  findBranchPage,
  OWNER_TRANSACTIONS,
  placeOf,
} from './branch-transactions.query';
import { Reader } from './reader';
import { findChanges } from './revisions.query';

const TREE = Buffer.alloc(32, 1);
const COUNT = 3_000;
const INDEXED = 2_990;
/** A slot with transactions whose ids sort otherwise than their places. */
const BUSY = 500;
const IN_BUSY = 20;

const FILL_BUSY = `
  INSERT INTO transactions (id, block_time, block_index, signature, consumed, created, json)
  SELECT (${BUSY}::bigint << 16) + i, 7, ${2 * IN_BUSY} - i, sha256(int4send(-i)) || sha256(int4send(-i)), '', '', ''
  FROM generate_series(1, ${IN_BUSY}) i`;

describe('pages of transactions on the indexed branch', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    const { dataSource } = database;
    await insertTree(dataSource, { tree: TREE, queue: TREE, treeType: 3 });
    await fillAccounts(dataSource, TREE, COUNT + 1);
    await fillTransactions(dataSource, COUNT);
    await dataSource.query(FILL_BUSY);
    await fillSignatures(dataSource, 'owner_signatures', COUNT, 10);
    await setIndexedSlot(dataSource, INDEXED);
    await dataSource.query('ANALYZE');
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  async function readAll(
    from: number,
    limit: number,
    keys: { owners: Pubkey[]; tokenOwners: Pubkey[] } | null = null,
    atLeast = Infinity,
  ): Promise<number[]> {
    const places: number[] = [];
    for (let next = from, isLast = false; !isLast && places.length < atLeast;) {
      const page = await findBranchPage(reader, { from: next, limit, keys });
      expect(page.transactions.length).toBeLessThanOrEqual(limit);
      places.push(...page.transactions.map(({ place }) => place));
      expect(page.isLast || page.next > next).toBe(true);
      ({ next, isLast } = page);
    }
    return places;
  }

  it.each([1, 7, 100, 10_000])(
    'of %d are all of them, in the order of places, up to the indexed slot',
    async (limit) => {
      const expected = Array.from({ length: 100 }, (_, number) => placeOf(INDEXED - 99 + number));
      expect(await readAll(placeOf(INDEXED - 99), limit)).toEqual(expected);
    },
  );

  it.each([3, 19, 21, 22, 1_000])('of %d go through a slot with more of them', async (limit) => {
    const busy = Array.from({ length: IN_BUSY }, (_, number) => placeOf(BUSY, IN_BUSY + number));
    const places = await readAll(placeOf(BUSY - 1), limit, null, IN_BUSY + 3);
    expect(places.slice(0, 23)).toEqual([placeOf(BUSY - 1), placeOf(BUSY), ...busy, placeOf(BUSY + 1)]);
  });

  it('have the accounts in both directions, and the state of the index', async () => {
    const page = await findBranchPage(reader, { from: placeOf(9), limit: 1 });
    expect(page).toMatchObject({ revision: 0, indexedSlot: INDEXED, next: placeOf(9) + 1, isLast: false });
    const [{ consumed, created, ...transaction }] = page.transactions;
    expect(transaction).toMatchObject({ slot: 9, index: 0, blockTime: 9, blockhash: null });
    expect([consumed, created].map((list) => list.map(({ hash }) => hash))).toEqual([[filledKey(9)], [filledKey(10)]]);
  });

  it('are empty after the indexed slot', async () => {
    const from = placeOf(INDEXED + 1);
    expect(await findBranchPage(reader, { from, limit: 5 })).toMatchObject({
      transactions: [],
      next: from,
      isLast: true,
    });
  });

  it('of owners have only theirs', async () => {
    const keys = { owners: [3, 7].map((number) => filledKey(number) as Pubkey), tokenOwners: [] };
    const places = await readAll(placeOf(INDEXED - 40), 3, keys);
    expect(places.map((place) => (place / placeOf(1)) % 10)).toEqual([3, 7, 3, 7, 3, 7, 3, 7]);
  });

  it('of amendments have each transaction once, if it is still there', async () => {
    const { dataSource } = database;
    const places = [placeOf(40), placeOf(41), placeOf(41, 9), placeOf(42), placeOf(43)];
    await dataSource.query(`INSERT INTO revisions (revision, amended) VALUES (1, $1), (2, $2)`, [
      places.slice(0, 3),
      places.slice(1),
    ]);
    await dataSource.query(`INSERT INTO revisions (revision, reverted_to) VALUES (3, 60)`);
    const found: number[] = [];
    for (let from = 0, isLast = false; !isLast;) {
      const page = await findAmendedPage(reader, { after: 0, from, before: placeOf(43), limit: 2 });
      found.push(...page.transactions.map(({ slot }) => slot));
      ({ next: from, isLast } = page);
    }
    expect(found).toEqual([40, 41, 42]);
    expect(await findChanges(reader, 0, 70)).toMatchObject({ slot: 60, revertedTo: 60, lastAmended: placeOf(43) });
    expect(await findChanges(reader, 2, 50)).toMatchObject({ slot: 50, revertedTo: 60, lastAmended: null });
    expect(await findChanges(reader, 3, 50)).toMatchObject({ slot: 50, revertedTo: null });
  });

  it.each([
    [BRANCH_TRANSACTIONS, [placeOf(9), 5], ['pk_transactions']],
    [
      OWNER_TRANSACTIONS,
      [placeOf(9), 5, [filledKey(3)], [filledKey(3)]],
      ['pk_owner_signatures', 'pk_token_owner_signatures'],
    ],
    [AMENDED_TRANSACTIONS, [0, 5, 1, placeOf(50)], ['pk_revisions', 'pk_transactions']],
  ])('are ranges of indexes: %j', async (statement, values, indexes) => {
    const { later } = await explainStatement(database.dataSource, statement, values);
    expect(later.indexes).toEqual(expect.arrayContaining(indexes));
    expect(later.scannedTables.filter((table) => !['indexer_state', 'trees'].includes(table))).toEqual([]);
  });
});
