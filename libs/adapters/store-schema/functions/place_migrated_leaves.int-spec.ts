import { describeFunction, insertBlock, insertStateTrees, letterHash, STATE_TREES } from '@fresnel/testing/store';

const { v1, v2 } = STATE_TREES;
const LETTERS = ['A', 'B', 'C'];

describeFunction('place_migrated_leaves', (database) => {
  const { insert, list, query } = database;
  const place = (slots: number[], includesLater: boolean) =>
    query<unknown>(`SELECT place_migrated_leaves($1, $2)`, [slots, includesLater]);
  const stated = (slot: number, next: number) =>
    insert('output_queue_ends', { tree_id: v2, slot, next_leaf_index: next, counted_leaves: 0 });
  const migrate = (slot: number, ...letters: string[]) =>
    insert(
      'migrated_leaves',
      ...letters.map((letter, at) => ({ slot, tree_id: v2, place: at, hash: letterHash(letter) })),
    );
  const places = () => list(`SELECT tree_id, leaf_index::integer FROM accounts ORDER BY hash`);
  const endSlots = async () => (await list(`SELECT slot::integer FROM output_queue_ends ORDER BY 1`)).flat();

  /** Accounts A, B and C of the V1 tree. */
  beforeEach(async () => {
    await insertStateTrees(database);
    const account = (letter: string, at: number) => ({
      hash: letterHash(letter),
      created_by: 10 << 16,
      tree_id: v1,
      leaf_index: 900 + at,
    });
    await insert('accounts', ...LETTERS.map(account));
  });

  it('numbers the leaves of slots, and moves their accounts', async () => {
    await stated(20, 10);
    await migrate(21, 'A', 'B');
    await migrate(22, 'C');
    await place([21], false);
    expect(await places()).toEqual([
      [v2, 10],
      [v2, 11],
      [v1, 902],
    ]);
    await place([22], false);
    expect((await places())[2]).toEqual([v2, 12]);
  });

  it('moves the accounts of later slots whose places follow from these', async () => {
    await insertBlock(database, 20, 0);
    await migrate(21, 'A');
    await place([21], false);
    expect((await places())[0]).toEqual([v2, 0]);
    await stated(20, 10);
    await place([20], true);
    expect((await places())[0]).toEqual([v2, 10]);
  });

  it('does not count leaves below the oldest block, whose end before is not known', async () => {
    await insertBlock(database, 30, 0);
    await migrate(21, 'A');
    await place([21], true);
    expect((await places())[0]).toEqual([v1, 900]);
  });

  it('deletes ends below the oldest block that no place follows from', async () => {
    await insertBlock(database, 30, 0);
    for (const slot of [20, 21, 31]) await stated(slot, slot);
    await place([21], true);
    expect(await endSlots()).toEqual([21, 31]);
  });
});
