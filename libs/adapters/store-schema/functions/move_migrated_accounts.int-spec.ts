import { describeFunction, insertStateTrees, letterHash, STATE_TREES } from '@fresnel/testing/store';

const { v1, v2 } = STATE_TREES;
const OWNER = letterHash('O');
const A = letterHash('A');

describeFunction('move_migrated_accounts', (database) => {
  const { insert, list, query } = database;
  beforeEach(() => insertStateTrees(database));

  const idOf = (slot: number) => slot << 16;
  /** Account A, and its row in a list. */
  async function storeAccount(treeId: number, leafIndex: number, createdIn = 20): Promise<void> {
    const account = { hash: A, created_by: idOf(createdIn), owner: OWNER };
    await insert('accounts', { ...account, tree_id: treeId, leaf_index: leafIndex, seq: treeId === v1 ? 31 : null });
    await query(`INSERT INTO unspent_accounts (owner_digest, leaf_index, hash) VALUES (key_digest($1), $2, $3)`, [
      OWNER,
      leafIndex,
      A,
    ]);
  }
  const migrate = (slot: number, leafIndex: number | null, columns = {}) =>
    insert('migrated_leaves', { slot, tree_id: v2, place: 0, hash: A, leaf_index: leafIndex, ...columns });
  const move = (slots: number[], countedSlots: number[] = [], includesLater = false) =>
    query<unknown>(`SELECT move_migrated_accounts($1, $2, $3)`, [slots, countedSlots, includesLater]);
  /** Tree, leaf index, seq, and the leaf index in the list. */
  const place = async () =>
    (
      await list(`SELECT a.tree_id, a.leaf_index::integer, a.seq::integer, u.leaf_index::integer AS listed
        FROM accounts a JOIN unspent_accounts u ON u.hash = a.hash`)
    )[0];
  const origin = async () =>
    (await list(`SELECT v1_tree_id, v1_leaf_index::integer, v1_seq::integer FROM migrated_leaves`))[0];
  const inV1 = [v1, 900, 31, 900];

  it('moves an account to the place of its leaf, and stores the place before', async () => {
    await storeAccount(v1, 900);
    await migrate(21, 7);
    await move([21]);
    expect([await place(), await origin()]).toEqual([
      [v2, 7, null, 7],
      [v1, 900, 31],
    ]);
  });

  it('moves an account again if the place has changed, and keeps the place before', async () => {
    await storeAccount(v2, 7);
    const before = { v1_tree_id: v1, v1_leaf_index: 900, v1_seq: 31 };
    await migrate(21, 8, before);
    await move([20], [21]);
    expect([await place(), await origin()]).toEqual([
      [v2, 8, null, 8],
      [v1, 900, 31],
    ]);
  });

  it('moves accounts that the slots create and whose leaves migrated later', async () => {
    await storeAccount(v1, 900);
    await migrate(21, 7);
    const rest = { block_time: 0, block_index: 0, signature: A, consumed: Buffer.of(), json: Buffer.of() };
    await insert('transactions', { id: idOf(20), created: A, ...rest });
    await move([20]);
    expect(await place()).toEqual(inV1);
    await move([20], [], true);
    expect(await place()).toEqual([v2, 7, null, 7]);
  });

  it('moves no account whose place is not known, and none before it is created', async () => {
    await storeAccount(v1, 900, 22);
    await migrate(21, 7);
    await migrate(23, null);
    await move([21, 23]);
    expect([await place(), await origin()]).toEqual([inV1, [null, null, null]]);
  });

  it('moves no account that was created in a V2 tree', async () => {
    await storeAccount(v2, 5);
    await migrate(21, 7);
    await move([21]);
    expect(await place()).toEqual([v2, 5, null, 5]);
  });
});
