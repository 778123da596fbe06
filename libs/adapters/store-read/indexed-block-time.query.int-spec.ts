import { createTestDatabase, explainStatement, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';
import { findIndexedBlockTime, INDEXED_BLOCK_TIME } from './indexed-block-time.query';
import { Reader } from './reader';

const BLOCK_TIME = 1_700_000_000;

describe('findIndexedBlockTime', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: 5_000, applicationName: 'test' });
    await database.dataSource.query(
      `INSERT INTO blocks (slot, parent_slot, blockhash, parent_blockhash, block_time, block_height, changes_trees)
      SELECT slot, slot - 1, sha256(slot::text::bytea), sha256((slot - 1)::text::bytea),
        slot + ${BLOCK_TIME}, slot, false
      FROM generate_series(1, 2000) AS list (slot)`,
    );
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  it.each([
    ['the time of the block at the indexed slot, although newer blocks are stored', 70, BLOCK_TIME + 70],
    ['null if nothing is indexed', null, null],
  ])('returns %s', async (_, indexedSlot, expected) => {
    await setIndexedSlot(database.dataSource, indexedSlot);
    expect(await findIndexedBlockTime(reader)).toBe(expected);
  });

  it('finds the block by its key', async () => {
    await setIndexedSlot(database.dataSource, 70);
    const { first, later } = await explainStatement(database.dataSource, INDEXED_BLOCK_TIME, []);
    for (const plan of [first, later])
      expect(plan).toMatchObject({ indexes: ['pk_blocks'], scannedTables: ['indexer_state'] });
  });
});
