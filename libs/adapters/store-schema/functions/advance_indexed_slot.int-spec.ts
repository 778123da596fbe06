import { describeFunction, insertBlock, insertStateTrees, letterHash, STATE_TREES } from '@fresnel/testing/store';

describeFunction('advance_indexed_slot', (database) => {
  const { list, insert, query } = database;
  const store = async (first: number, last: number) => {
    for (let slot = first; slot <= last; slot++) await insertBlock(database, slot, 0);
  };
  const startAt = (slot: number) => query<unknown>(`UPDATE indexer_state SET first_slot = $1`, [slot]);
  /** Old slot, new slot, and whether the row was locked. */
  const advance = async (maxBlocks = 200, keptSlots = 2_048) =>
    (await list(`SELECT * FROM advance_indexed_slot($1, $2, 1000)`, [maxBlocks, keptSlots]))[0];
  const indexedSlot = async () => (await list(`SELECT indexed_slot FROM indexer_state`))[0][0];

  it('advances from the first slot along the stored blocks', async () => {
    await store(8, 12);
    await startAt(10);
    expect(await advance()).toEqual([null, '12', true]);
    expect(await advance()).toEqual(['12', '12', true]);
    await store(13, 14);
    expect(await advance()).toEqual(['12', '14', true]);
    expect(await indexedSlot()).toBe('14');
  });

  it('advances over a number of blocks', async () => {
    await store(10, 15);
    await startAt(10);
    expect([await advance(2), await advance(2)]).toEqual([
      [null, '12', true],
      ['12', '14', true],
    ]);
  });

  it('derives what follows from all slots that it passes', async () => {
    const [first, last, owner] = ['F', 'L', 'O'].map(letterHash);
    await store(10, 160);
    await startAt(10);
    const account = { leaf_index: 3, tree_id: 1, owner, lamports: 7 };
    const rest = { block_time: 0, block_index: 0, json: Buffer.of() };
    for (const [hash, slot, consumed] of [
      [first, 10, Buffer.of()],
      [last, 160, first],
    ] as const) {
      await insert('accounts', { hash, created_by: slot << 16, ...account });
      await insert('transactions', { id: slot << 16, signature: hash, created: hash, consumed, ...rest });
    }
    await insert('spends', { hash: first, spent_by: 160 << 16 });
    await advance(149);
    expect(await list(`SELECT hash FROM unspent_accounts`)).toEqual([[first]]);
    await advance();
    expect(await list(`SELECT hash FROM unspent_accounts`)).toEqual([[last]]);
    expect(await list(`SELECT lamports FROM owner_lamports`)).toEqual([['7']]);
  });

  it('leaves the work to a writer that is advancing', async () => {
    await store(10, 11);
    await startAt(10);
    await database.transaction(async (manager) => {
      await manager.query(`SELECT FROM indexer_state FOR UPDATE`);
      expect(await advance()).toEqual([null, null, false]);
    });
    expect(await advance()).toEqual([null, '11', true]);
  });

  it('deletes blocks that are a number of slots below it, and every 64 slots what old blocks need no more', async () => {
    await store(10, 64);
    await startAt(10);
    const end = (slot: number) => ({ tree_id: STATE_TREES.v2, slot, next_leaf_index: slot, counted_leaves: 0 });
    await insertStateTrees(database);
    await insert('output_queue_ends', end(20), end(21), end(50));
    await advance(20, 20);
    await insert('block_signatures', { slot: 10, block_time: 0, signatures: Buffer.of() });
    const kept = () =>
      list(`SELECT min(slot) AS oldest, (SELECT count(*) FROM output_queue_ends) AS ends,
        (SELECT count(*) FROM block_signatures) AS signatures FROM blocks`);
    expect(await advance(33, 20)).toEqual(['30', '63', true]);
    expect(await kept()).toEqual([['43', '3', '1']]);
    await advance(200, 20);
    expect(await kept()).toEqual([['44', '2', '0']]);
  });
});
