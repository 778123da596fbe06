import { describeFunction, letterHash, STATE_TREES } from '@fresnel/testing/store';

const tree = { tree_id: STATE_TREES.v2 };

describeFunction('record_queue_ends', ({ insert, list, query }) => {
  /** Stores leaves that migrated in a slot, with the leaf indexes that outputs imply. */
  const migrate = (slot: number, ...implied: (number | null)[]) =>
    insert(
      'migrated_leaves',
      ...implied.map((leafIndex, place) => ({
        ...tree,
        slot,
        place,
        hash: letterHash(String(place)),
        implied_leaf_index: leafIndex,
      })),
    );
  const end = (slot: number, next: number, counted: number) =>
    insert('output_queue_ends', { ...tree, slot, next_leaf_index: next, counted_leaves: counted });
  /** Slot, end and number of counted leaves, after the function. */
  const record = async (slots: number[], knownFrom: number | null) => {
    await query(`SELECT record_queue_ends($1, $2)`, [slots, knownFrom]);
    const ends = await list(`SELECT slot, next_leaf_index, counted_leaves FROM output_queue_ends ORDER BY 1`);
    return ends.map((row) => row.map(Number));
  };
  const places = async () =>
    (await list(`SELECT leaf_index::integer FROM migrated_leaves ORDER BY slot, place`)).flat();

  it('stores the ends and places that outputs imply', async () => {
    await end(20, 9, 0);
    await migrate(20, 7, 9);
    await migrate(21, 3);
    expect(await record([20], null)).toEqual([[20, 10, 0]]);
    expect(await places()).toEqual([7, 9, null]);
  });

  it('does not lower an end that outputs state', async () => {
    await end(20, 12, 0);
    await migrate(20, 7);
    expect(await record([20], null)).toEqual([[20, 12, 0]]);
  });

  it('stores how many leaves are to be counted', async () => {
    await migrate(20, null, null);
    await migrate(21, null);
    expect(await record([20, 21], null)).toEqual([
      [20, 0, 2],
      [21, 0, 1],
    ]);
    expect(await places()).toEqual([null, null, null]);
  });

  it('replaces a number of leaves, and keeps the end until they are counted', async () => {
    await end(20, 9, 1);
    await migrate(20, null, null);
    expect(await record([20], null)).toEqual([[20, 9, 2]]);
  });

  it('leaves out slots before the known ones, unless their leaves were counted before', async () => {
    await end(20, 9, 1);
    await migrate(20, null);
    await migrate(21, null);
    await migrate(22, null);
    expect(await record([20, 21, 22], 22)).toEqual([
      [20, 9, 1],
      [22, 0, 1],
    ]);
  });
});
