import { describeFunction, insertStateTrees, letterHash, setIndexedSlot, STATE_TREES } from '@fresnel/testing/store';

const [OWNER, TOKEN_OWNER, MINT] = ['O', 'T', 'M'].map(letterHash);
const idOf = (slot: number) => slot << 16;
const EMPTY = Buffer.of();

describeFunction('derive_slots', (database) => {
  const { insert, list, query } = database;
  const derive = (slots: number[], sign: number, includesLater: boolean) =>
    query<unknown>(`SELECT derive_slots($1, $2, $3)`, [slots, sign, includesLater]);
  const count = (table: string) => `(SELECT count(*)::integer FROM ${table}) AS ${table}`;
  /** Sums of lamports and tokens, and the numbers of rows in lists. */
  const readModel = async () =>
    (
      await list(`SELECT (SELECT lamports::integer FROM owner_lamports), (SELECT balance::integer FROM token_holders),
        ${count('unspent_accounts')}, ${count('owner_signatures')}, ${count('token_owner_signatures')},
        ${count('output_queue_ends')}, ${count('address_programs')}`)
    )[0];
  const NOTHING = [null, null, 0, 0, 0, 0, 0];

  /** Slot 11 creates A in the V2 tree and B in the V1 tree, slot 12 consumes A. */
  beforeEach(async () => {
    await insertStateTrees(database);
    await setIndexedSlot(database, 12);
    const rest = { block_time: 0, block_index: 0, json: EMPTY };
    const [a, b] = ['A', 'B'].map(letterHash);
    await insert(
      'transactions',
      { id: idOf(11), signature: a, created: Buffer.concat([a, b]), consumed: EMPTY, ...rest },
      { id: idOf(12), signature: b, created: EMPTY, consumed: a, ...rest },
    );
    const account = { created_by: idOf(11), owner: OWNER, address: MINT, data_hash: MINT, lamports: 3 };
    const token = { mint: MINT, token_owner: TOKEN_OWNER, amount: 5 };
    await insert(
      'accounts',
      { hash: a, tree_id: STATE_TREES.v2, leaf_index: 8, ...account, ...token },
      { hash: b, tree_id: STATE_TREES.v1, leaf_index: 900, ...account },
    );
    await insert('spends', { hash: a, spent_by: idOf(12) });
  });

  it('adds what follows from the facts of slots, and takes it back', async () => {
    await derive([11], 1, false);
    expect(await readModel()).toEqual([6, 5, 2, 1, 1, 1, 1]);
    await derive([12], 1, false);
    expect(await readModel()).toEqual([3, null, 1, 2, 2, 1, 1]);
    await derive([12], -1, false);
    expect(await readModel()).toEqual([6, 5, 2, 1, 1, 1, 1]);
    await derive([11], -1, false);
    // Programs stay.
    expect(await readModel()).toEqual([...NOTHING.slice(0, -1), 1]);
  });

  it('derives several slots at once as one after the other', async () => {
    await derive([11, 12], 1, false);
    expect(await readModel()).toEqual([3, null, 1, 2, 2, 1, 1]);
    await derive([11, 12], -1, false);
    expect(await readModel()).toEqual([...NOTHING.slice(0, -1), 1]);
  });

  it('includes the later spends of a slot that joins an index', async () => {
    await derive([11], 1, true);
    expect(await readModel()).toEqual([3, null, 1, 2, 2, 1, 1]);
    await derive([11], -1, true);
    // The end of the queue stays meanwhile.
    expect(await readModel()).toEqual([...NOTHING.slice(0, -2), 1, 1]);
  });

  it('moves accounts whose leaves migrate, in the lists too, and back', async () => {
    await insert('migrated_leaves', { slot: 12, tree_id: STATE_TREES.v2, place: 0, hash: letterHash('B') });
    const places = () =>
      list(`SELECT a.tree_id, a.leaf_index::integer, u.leaf_index::integer AS listed
      FROM accounts a JOIN unspent_accounts u ON u.hash = a.hash`);
    await derive([11, 12], 1, false);
    expect(await places()).toEqual([[STATE_TREES.v2, 9, 9]]);
    await derive([12], -1, false);
    expect(await places()).toContainEqual([STATE_TREES.v1, 900, 900]);
  });

  it('changes nothing for slots without transactions', async () => {
    await derive([13], 1, false);
    expect(await readModel()).toEqual(NOTHING);
  });
});
