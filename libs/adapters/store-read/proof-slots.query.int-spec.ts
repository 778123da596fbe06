import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import { createTestDatabase, explainStatement, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';
import { NothingIndexedError } from './errors';
import { findProofSlots, PROOF_SLOTS } from './proof-slots.query';
import { Reader } from './reader';

describe('findProofSlots', () => {
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

  async function store(slots: readonly number[], changed: readonly number[]): Promise<void> {
    const hashes = slots.map((slot) => blockhashAt(slot));
    await database.dataSource.query(
      `INSERT INTO blocks (slot, parent_slot, blockhash, parent_blockhash, block_time, changes_trees)
       SELECT slot, slot - 1, blockhash, blockhash, 0, slot = ANY ($3)
       FROM unnest($1::bigint[], $2::bytea[]) AS list (slot, blockhash)`,
      [slots, hashes, changed],
    );
  }

  it('rejects before the first slot is indexed', async () => {
    await expect(findProofSlots(reader)).rejects.toThrow(NothingIndexedError);
  });

  it('returns the oldest stored slot if no block up to the indexed slot has changed a tree', async () => {
    await store(range(100, 3_000), [200, 2_100, 2_950]);
    await setIndexedSlot(database.dataSource, 150);
    expect(await findProofSlots(reader)).toEqual({ indexedSlot: toSlot(150), minSlot: toSlot(100) });
  });

  it.each([
    [200, 200],
    [2_099, 200],
    [2_949, 2_100],
    [3_000, 2_950],
  ])('returns for indexed slot %d the newest slot that has changed a tree', async (indexedSlot, minSlot) => {
    await setIndexedSlot(database.dataSource, indexedSlot);
    expect(await findProofSlots(reader)).toEqual({ indexedSlot: toSlot(indexedSlot), minSlot: toSlot(minSlot) });
  });

  it('reads no block but these', async () => {
    await database.dataSource.query(`ANALYZE blocks`);
    const { first, later } = await explainStatement(database.dataSource, PROOF_SLOTS, []);
    for (const plan of [first, later]) {
      expect(plan).toMatchObject({
        indexes: ['idx_blocks_changes_trees', 'pk_blocks'],
        scannedTables: ['indexer_state'],
      });
    }
  });
});
