import { describeFunction, insertStateTrees, STATE_TREES } from '@fresnel/testing/store';

const { v1, v2 } = STATE_TREES;

describeFunction('derive_output_queue_ends', (database) => {
  const { applyChanges, list, insert } = database;
  beforeEach(() => insertStateTrees(database));

  const change = (slot: number, treeId: number, leafIndex: number, sign = 1) => ({
    transaction_id: slot << 16,
    tree_id: treeId,
    leaf_index: leafIndex,
    change: sign,
  });
  const ends = () =>
    list(`SELECT slot::integer, next_leaf_index::integer, counted_leaves::integer FROM output_queue_ends ORDER BY 1`);

  it('stores the end after the outputs of each slot', async () => {
    await applyChanges('derive_output_queue_ends', [change(20, v2, 9), change(20, v2, 8), change(22, v2, 10)]);
    expect(await ends()).toEqual([
      [20, 10, 0],
      [22, 11, 0],
    ]);
  });

  it('has none of V1 trees, and none of slots that only consume', async () => {
    await applyChanges('derive_output_queue_ends', [change(20, v1, 9), change(21, v2, 9, -1)]);
    expect(await ends()).toEqual([]);
  });

  it('replaces an end that was counted', async () => {
    await insert('output_queue_ends', { tree_id: v2, slot: 20, next_leaf_index: 7, counted_leaves: 2 });
    await applyChanges('derive_output_queue_ends', [change(20, v2, 9)]);
    expect(await ends()).toEqual([[20, 10, 0]]);
  });
});
