import { OtherChainError, ProjectionStore } from '@fresnel/adapters/store-write';
import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type ResumeState } from './resume-point';
import { StoredResumePoint } from './stored.resume-point';

const refOf = (slot: number, branch = 'main') => ({ slot: toSlot(slot), blockhash: blockhashAt(slot, branch) });
/** A block as the trees remember it. */
const followedAt = (slot: number, parentSlot = slot - 1) => ({ ...refOf(slot), parentSlot: toSlot(parentSlot) });
/** A block as the tables store it. */
const linkedAt = (slot: number, parentSlot = slot - 1) => ({
  ...followedAt(slot, parentSlot),
  parentBlockhash: blockhashAt(parentSlot),
});
const revertedAt = (slot: number, branch: string) => ({ kind: 'slot-reverted', ...refOf(slot, branch) });

describe('StoredResumePoint', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => database.empty());
  afterAll(() => database.drop());

  /**
   * Stores one linked block for each slot.
   *
   * @param indexedSlot default: the last of them
   * @param changed the slots that change a tree
   */
  async function store(
    slots: readonly number[],
    indexedSlot = slots.at(-1),
    changed: readonly number[] = slots,
  ): Promise<void> {
    const parents = slots.map((slot, at) => (at === 0 ? slot - 1 : slots[at - 1]));
    await database.dataSource.query(
      `INSERT INTO blocks (slot, parent_slot, blockhash, parent_blockhash, block_time, changes_trees)
       SELECT *, 0, slot = ANY ($5)
       FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[]) AS list (slot, parent_slot, blockhash, parent)`,
      [slots, parents, slots.map((slot) => blockhashAt(slot)), parents.map((slot) => blockhashAt(slot)), changed],
    );
    await database.dataSource.query(`UPDATE indexer_state SET first_slot = $1, indexed_slot = $2`, [
      slots[0],
      indexedSlot,
    ]);
  }

  async function storeOrphaned(slots: readonly number[], branch: string): Promise<void> {
    await database.dataSource.query(
      `INSERT INTO orphaned_blocks (slot, blockhash) SELECT * FROM unnest($1::bigint[], $2::bytea[])`,
      [slots, slots.map((slot) => blockhashAt(slot, branch))],
    );
  }

  const seen = (slots: readonly number[], { branch = 'main', isOrphaned = false } = {}): RecentBlock[] =>
    slots.map((slot, at) => ({
      ...refOf(slot, branch),
      parentSlot: at === 0 ? null : toSlot(slots[at - 1]),
      state: isOrphaned ? 'orphaned' : 'admitted',
      changesTrees: false,
    }));

  function find(treeSlot: number | null, blocks: readonly RecentBlock[] = []): Promise<ResumeState> {
    const slot: Slot | null = treeSlot === null ? null : toSlot(treeSlot);
    const trees = { listPartitions: () => Promise.resolve(new Map([[0, { slot, blocks: [...blocks] }]])) };
    return new StoredResumePoint(new ProjectionStore(database.dataSource), trees).find('a chain');
  }

  it('finds nothing in a new database, and then refuses another chain', async () => {
    expect(await find(null)).toEqual({ published: [], changes: [], partiallyPublished: [], reverted: [] });
    const store = new ProjectionStore(database.dataSource);
    await expect(store.claimChain('another')).rejects.toThrow(OtherChainError);
  });

  it('finds the last indexed blocks when tables and trees are at the same slot', async () => {
    await store(range(1, 50), 48);
    const { published, partiallyPublished, reverted } = await find(48, seen(range(20, 48)));
    expect(published).toMatchObject(range(17, 48).map((slot) => linkedAt(slot)));
    expect([partiallyPublished, reverted]).toEqual([[], []]);
  });

  it('finds blocks that only the tables store as partially published', async () => {
    await store([1, 2, 4, 7, 8]);
    const { published, partiallyPublished } = await find(5, seen([1, 2, 4]));
    expect(published).toMatchObject([linkedAt(1), linkedAt(2), linkedAt(4, 2)]);
    expect(partiallyPublished).toMatchObject([linkedAt(7, 4), linkedAt(8)]);
  });

  it('finds blocks that only the trees have applied as partially published', async () => {
    await store([1, 2, 4]);
    const { published, partiallyPublished } = await find(8, seen([2, 4, 7, 8]));
    expect(published).toMatchObject([linkedAt(1), linkedAt(2), linkedAt(4, 2)]);
    expect(partiallyPublished).toEqual([followedAt(7, 4), followedAt(8)]);
  });

  it('omits blocks that the trees no longer remember', async () => {
    await store([1, 2]);
    const { published, partiallyPublished } = await find(30, seen([25, 28, 30]));
    expect(published).toMatchObject([linkedAt(1), linkedAt(2)]);
    expect(partiallyPublished).toEqual([followedAt(25), followedAt(28, 25), followedAt(30, 28)]);
  });

  it('starts from the beginning when the trees were lost, and finds the last blocks of the tables', async () => {
    await store(range(1, 40));
    const { published, partiallyPublished } = await find(null);
    expect(published).toEqual([]);
    expect(partiallyPublished).toMatchObject(range(9, 40).map((slot) => linkedAt(slot)));
  });

  it('counts blocks after the slot of the trees as published up to the next one that changes a tree', async () => {
    await store(range(1, 60), 60, [1, 20]);
    expect((await find(20, seen([20]))).published.at(-1)).toMatchObject(linkedAt(60));
    expect((await find(25, seen(range(20, 25)))).partiallyPublished).toEqual([]);
    const { published, partiallyPublished } = await find(5, seen(range(1, 5)));
    expect(published.at(-1)).toMatchObject(linkedAt(19));
    expect(partiallyPublished.at(0)).toMatchObject(linkedAt(29));
  });

  it('finds the last blocks of the trees if the tables have deleted these blocks', async () => {
    await store(range(1_000, 1_010));
    const { published, partiallyPublished } = await find(30, seen([25, 28, 30]));
    expect(published).toMatchObject([refOf(25), refOf(28), refOf(30)]);
    expect(partiallyPublished).toMatchObject(range(1_000, 1_010).map((slot) => linkedAt(slot)));
  });

  it('finds the recently reverted blocks of tables and trees, newest first', async () => {
    await store(range(1, 40));
    await storeOrphaned([5, 39, 41], 'other');
    const { reverted } = await find(40, seen([42, 41], { branch: 'other', isOrphaned: true }));
    expect(reverted).toEqual([42, 41, 39].map((slot) => revertedAt(slot, 'other')));
  });

  it('does not report as published what only the trees have reverted', async () => {
    await store(range(1, 6));
    const { published, partiallyPublished, reverted } = await find(4, [
      ...seen([6, 5], { isOrphaned: true }),
      ...seen([1, 2, 3, 4]),
    ]);
    expect(published).toMatchObject(range(1, 4).map((slot) => linkedAt(slot)));
    expect(partiallyPublished).toEqual([]);
    expect(reverted).toEqual([6, 5].map((slot) => revertedAt(slot, 'main')));
  });
});
