import { describeFunction, insertStateTrees, STATE_TREES } from '@fresnel/testing/store';

describeFunction('prune_output_queue_ends', (database) => {
  const { insert, list, query } = database;
  /** Ends in slots 10, 11 and so on. */
  const store = (...kinds: ('stated' | 'counted')[]) =>
    insert(
      'output_queue_ends',
      ...kinds.map((kind, at) => ({
        tree_id: STATE_TREES.v2,
        slot: 10 + at,
        next_leaf_index: at,
        counted_leaves: kind === 'counted' ? 1 : 0,
      })),
    );
  const prune = async (from: number, to: number) => {
    await query(`SELECT prune_output_queue_ends($1, $2)`, [from, to]);
    return (await list(`SELECT slot::integer FROM output_queue_ends ORDER BY 1`)).flat();
  };
  beforeEach(() => insertStateTrees(database));

  it('deletes ends that are followed by another one, unless leaves were counted at one of the two', async () => {
    await store('stated', 'stated', 'counted', 'stated', 'stated');
    expect(await prune(10, 15)).toEqual([11, 12, 14]);
  });

  it('keeps the end before an end outside of the slots', async () => {
    await store('stated', 'stated', 'stated', 'stated');
    expect(await prune(11, 12)).toEqual([11, 12, 13]);
    expect(await prune(20, 30)).toEqual([11, 12, 13]);
  });
});
