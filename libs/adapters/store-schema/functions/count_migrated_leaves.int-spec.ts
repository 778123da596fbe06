import { describeFunction, insertStateTrees, letterHash, STATE_TREES } from '@fresnel/testing/store';

const tree = { tree_id: STATE_TREES.v2 };

describeFunction('count_migrated_leaves', (database) => {
  const { insert, list } = database;
  beforeEach(() => insertStateTrees(database));

  /** Stores ends: a slot, and its end if outputs state it, or a number of leaves to count. */
  async function store(...ends: [number, 'stated' | 'counted', number][]): Promise<void> {
    for (const [slot, kind, value] of ends) {
      const [next, counted] = kind === 'stated' ? [value, 0] : [0, value];
      await insert('output_queue_ends', { ...tree, slot, next_leaf_index: next, counted_leaves: counted });
      for (let place = 0; place < counted; place++) {
        await insert('migrated_leaves', { ...tree, slot, place, hash: letterHash('H') });
      }
    }
  }
  const count = async (...slots: number[]) =>
    (await list(`SELECT unnest(count_migrated_leaves($1)) ORDER BY 1`, [slots])).map(([slot]) => Number(slot));
  const ends = async () =>
    (await list(`SELECT next_leaf_index FROM output_queue_ends ORDER BY slot`)).map(([end]) => Number(end));
  const places = async () =>
    (await list(`SELECT leaf_index::integer FROM migrated_leaves ORDER BY slot, place`)).flat();

  it('counts from the end before the slots', async () => {
    await store([20, 'stated', 10], [21, 'counted', 2], [22, 'counted', 1], [23, 'stated', 15]);
    expect(await count(21, 22)).toEqual([21, 22]);
    expect(await places()).toEqual([10, 11, 12]);
    expect(await ends()).toEqual([10, 12, 13, 15]);
  });

  it('counts from leaf 0 if there is no end before', async () => {
    await store([21, 'counted', 2]);
    expect(await count(21)).toEqual([21]);
    expect([await places(), await ends()]).toEqual([[0, 1], [2]]);
  });

  it('counts again from each end that outputs state', async () => {
    await store([20, 'stated', 10], [21, 'counted', 1], [22, 'stated', 30], [23, 'counted', 2]);
    expect(await count(20, 21, 22, 23)).toEqual([21, 23]);
    expect([await places(), await ends()]).toEqual([
      [10, 30, 31],
      [10, 11, 30, 32],
    ]);
  });

  it('goes on above the slots, up to the next end that outputs state', async () => {
    await store([20, 'stated', 10], [21, 'counted', 1], [22, 'counted', 1], [23, 'stated', 15], [24, 'counted', 1]);
    expect(await count(20)).toEqual([21, 22]);
    expect([await places(), await ends()]).toEqual([
      [10, 11, null],
      [10, 11, 12, 15, 0],
    ]);
  });

  it('follows a counted end before the slots', async () => {
    await store([20, 'stated', 10], [21, 'counted', 3]);
    await count(21);
    await store([22, 'counted', 1]);
    expect(await count(22)).toEqual([22]);
    expect(await places()).toEqual([10, 11, 12, 13]);
  });

  it('counts nothing if the slots add no leaves', async () => {
    await store([20, 'stated', 10], [21, 'counted', 1]);
    expect(await count(19)).toEqual([]);
    expect(await places()).toEqual([null]);
  });
});
