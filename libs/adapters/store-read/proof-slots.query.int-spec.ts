import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import { createTestDatabase, explainStatement, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';
import { NothingIndexedError } from './errors';
import { findProofSlots, PROOF_SLOTS } from './proof-slots.query';
import { Reader } from './reader';

const slotsOf = (indexedSlot: number, minSlot: number, minBlockhash: Hash | null = blockhashAt(minSlot)) => ({
  indexedSlot: toSlot(indexedSlot),
  minSlot: toSlot(minSlot),
  minBlockhash,
});

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
    expect(await findProofSlots(reader)).toEqual(slotsOf(150, 100));
  });

  it.each([
    [200, 200],
    [2_099, 200],
    [2_949, 2_100],
    [3_000, 2_950],
  ])('returns for indexed slot %d the newest slot that has changed a tree', async (indexedSlot, minSlot) => {
    await setIndexedSlot(database.dataSource, indexedSlot);
    expect(await findProofSlots(reader)).toEqual(slotsOf(indexedSlot, minSlot));
  });

  it('names no block that is not indexed', async () => {
    await setIndexedSlot(database.dataSource, 99);
    expect(await findProofSlots(reader)).toEqual(slotsOf(99, 100, null));
    await setIndexedSlot(database.dataSource, 3_000);
  });

  it.each([
    ['is not compared with the chain yet', `INSERT INTO attested_ranges VALUES (50, 99, 'a source', 7)`],
    [
      'lacks something of a tree',
      `INSERT INTO history_findings (tree, reason, from_slot, to_slot) VALUES ('', 'spend-missing', 60, 99)`,
    ],
  ])('names no block while history %s', async (_, statement) => {
    await database.dataSource.query(statement);
    expect(await findProofSlots(reader)).toEqual(slotsOf(3_000, 2_950, null));
    await database.dataSource.query('TRUNCATE attested_ranges, history_findings');
  });

  it('reads no block but these', async () => {
    await database.dataSource.query(`ANALYZE blocks`);
    const { first, later } = await explainStatement(database.dataSource, PROOF_SLOTS, []);
    for (const plan of [first, later]) {
      expect(plan).toMatchObject({
        indexes: ['idx_blocks_changes_trees', 'pk_attested_ranges', 'pk_blocks', 'pk_history_findings'],
        scannedTables: ['indexer_state'],
      });
    }
  });
});
