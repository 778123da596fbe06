import { describeFunction, insertStateTrees, letterHash, STATE_TREES } from '@fresnel/testing/store';

const { v1, v2 } = STATE_TREES;
const OWNER = letterHash('O');
const [A, B] = ['A', 'B'].map(letterHash);

describeFunction('restore_migrated_leaves', (database) => {
  const { insert, list, query } = database;
  const end = (slot: number) => ({ tree_id: v2, slot, next_leaf_index: slot, counted_leaves: 1 });

  /** A has migrated in slot 21, and B, which is not stored. */
  beforeEach(async () => {
    await insertStateTrees(database);
    await insert('accounts', { hash: A, created_by: 20 << 16, owner: OWNER, tree_id: v2, leaf_index: 7 });
    const before = { v1_tree_id: v1, v1_leaf_index: 900, v1_seq: 31 };
    await insert(
      'migrated_leaves',
      { slot: 21, tree_id: v2, place: 0, hash: A, leaf_index: 7, ...before },
      { slot: 21, tree_id: v2, place: 1, hash: B, leaf_index: 8 },
      { slot: 22, tree_id: v2, place: 0, hash: B, leaf_index: 9 },
    );
    await query(`INSERT INTO unspent_accounts (owner_digest, leaf_index, hash) VALUES (key_digest($1), 7, $2)`, [
      OWNER,
      A,
    ]);
    await insert('output_queue_ends', end(20), end(21), end(22));
  });

  const restore = (includesLater: boolean) =>
    query<unknown>(`SELECT restore_migrated_leaves('{21}', $1)`, [includesLater]);
  const ends = async () => (await list(`SELECT slot::integer FROM output_queue_ends ORDER BY 1`)).flat();

  it('moves accounts back, and forgets the places of the leaves', async () => {
    await restore(false);
    expect(await list(`SELECT tree_id, leaf_index::integer, seq::integer FROM accounts`)).toEqual([[v1, 900, 31]]);
    expect(await list(`SELECT leaf_index::integer FROM unspent_accounts`)).toEqual([[900]]);
    expect(await list(`SELECT leaf_index::integer, v1_leaf_index FROM migrated_leaves ORDER BY slot, place`)).toEqual([
      [null, null],
      [null, null],
      [9, null],
    ]);
  });

  it('deletes the ends of queues after the slots', async () => {
    await restore(false);
    expect(await ends()).toEqual([20, 22]);
  });

  it('keeps the ends if the slots are derived again', async () => {
    await restore(true);
    expect(await ends()).toEqual([20, 21, 22]);
  });
});
