import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  insertBlock,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { NothingIndexedError } from './errors';
import { findIndexedSlot, findIndexerStatus, INDEXER_STATUS } from './indexer-status.query';
import { Reader } from './reader';

describe('findIndexerStatus', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  it('returns null for all values of an empty database', async () => {
    expect(await findIndexerStatus(reader)).toEqual({
      indexedSlot: null,
      indexedBlockTime: null,
      chainTip: null,
      chainTipSeenAt: null,
    });
    await expect(findIndexedSlot(reader)).rejects.toThrow(NothingIndexedError);
  });

  it('returns the indexed slot and the chain tip', async () => {
    const seenAt = new Date(1_700_000_000_123);
    await setIndexedSlot(database.dataSource, 400_000_000, { chainTip: 2 ** 53 - 1, seenAt });
    await insertBlock(database.dataSource, 400_000_000, 1_700_000_000);
    const status = {
      indexedSlot: 400_000_000,
      indexedBlockTime: 1_700_000_000,
      chainTip: 2 ** 53 - 1,
      chainTipSeenAt: seenAt,
    };
    expect(await findIndexerStatus(reader)).toEqual(status);
    expect(await findIndexedSlot(reader)).toBe(400_000_000);
  });

  it('returns the chain tip before the first slot is indexed', async () => {
    await setIndexedSlot(database.dataSource, null, { chainTip: 9 });
    expect(await findIndexerStatus(reader)).toMatchObject({ indexedSlot: null, chainTip: 9 });
  });

  it('reads two tables of one row, and a block by its slot', async () => {
    const { first, later } = await explainStatement(database.dataSource, INDEXER_STATUS, []);
    for (const plan of [first, later])
      expect(plan).toMatchObject({ indexes: ['pk_blocks'], scannedTables: ['chain_tip', 'indexer_state'] });
  });
});
