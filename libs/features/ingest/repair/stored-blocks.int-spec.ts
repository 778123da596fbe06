import { ProjectionStore } from '@fresnel/adapters/store-write';
import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { slotUpdate } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { PostgresStoredBlocks } from './stored-blocks';

/** A block of tables. */
const stored = (slot: number) => {
  const { events } = slotUpdate(slot);
  return { slot: events.slot, blockhash: events.blockhash };
};
/** A block that tables do not have. */
const other = (slot: number) => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });
const inTrees = (block: ReturnType<typeof stored>, state: RecentBlock['state'], changesTrees = false): RecentBlock => ({
  ...block,
  parentSlot: null,
  state,
  changesTrees,
});

describe('PostgresStoredBlocks', () => {
  let database: TestDatabase;
  let blocks: PostgresStoredBlocks;
  /** The blocks of each partition of trees. */
  let trees: RecentBlock[][];
  beforeAll(async () => {
    database = await createTestDatabase();
    const store = new ProjectionStore(database.dataSource);
    blocks = new PostgresStoredBlocks(store, {
      listPartitions: () =>
        Promise.resolve(new Map(trees.map((of, partition) => [partition, { slot: null, blocks: of }]))),
    });
    const persist = (slots: number[]) =>
      store.persistSlots({ slots: slots.map((slot) => slotUpdate(slot)), chainTip: null, position: null });
    await persist(range(10, 50));
    await store.persistSlots({ slots: [{ reverted: other(54) }], chainTip: null, position: null });
    await persist([52, 53]);
  });
  beforeEach(() => {
    trees = [];
  });
  afterAll(() => database.drop());

  it('finds the newest indexed blocks up to a slot', async () => {
    expect((await blocks.findIndexed()).map(({ slot }) => slot)).toEqual(range(19, 50));
    expect((await blocks.findIndexed(12)).map(({ slot }) => slot)).toEqual([10, 11, 12]);
    expect(await blocks.findIndexed(9)).toEqual([]);
  });

  it('tells whether tables name a block after the indexed one, also an orphaned one', async () => {
    expect(await blocks.hasAfter(50)).toBe(true);
    await database.dataSource.query('UPDATE blocks SET slot = slot - 1000 WHERE slot > 50');
    expect([await blocks.hasAfter(50), await blocks.hasAfter(54)]).toEqual([true, false]);
    await database.dataSource.query('UPDATE blocks SET slot = slot + 1000 WHERE slot < 0');
  });

  it('finds what tables and trees name between two slots', async () => {
    trees = [[inTrees(other(51), 'refused')], [inTrees(stored(53), 'admitted'), inTrees(other(55), 'admitted')]];
    expect(await blocks.findBetween(50, 54)).toEqual([
      { ...stored(52), state: 'stored' },
      { ...stored(53), state: 'stored' },
      { ...other(54), state: 'orphaned' },
      inTrees(other(51), 'refused'),
      inTrees(stored(53), 'admitted'),
    ]);
  });

  it('finds blocks of trees that contradict the index, lowest first', async () => {
    trees = [
      [inTrees(stored(20), 'admitted'), inTrees(other(22), 'admitted'), inTrees(other(60), 'admitted')],
      [inTrees(stored(30), 'orphaned'), inTrees(other(31), 'orphaned'), inTrees(other(28), 'refused')],
      [inTrees(other(5), 'admitted'), inTrees(stored(52), 'orphaned')],
    ];
    expect(await blocks.findSuspects()).toMatchObject([other(22), other(28), stored(30)]);
  });

  it('finds nothing that contradicts the index in trees that are ahead or behind', async () => {
    trees = [
      [...range(10, 50), 51].map((slot) => inTrees(stored(slot), 'admitted')),
      [inTrees(stored(15), 'admitted')],
    ];
    expect(await blocks.findSuspects()).toEqual([]);
  });
});
