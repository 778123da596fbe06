import { describeFunction, insertBlock, setIndexedSlot } from '@fresnel/testing/store';

describeFunction('can_advance', (database) => {
  const canAdvance = async () => (await database.list(`SELECT can_advance()`))[0][0];

  it('is true while a block continues the indexed branch', async () => {
    for (const slot of [10, 11]) await insertBlock(database, slot, 0);
    await setIndexedSlot(database, 10);
    expect(await canAdvance()).toBe(true);
    await setIndexedSlot(database, 11);
    expect(await canAdvance()).toBe(false);
  });

  it('is false if a block is missing', async () => {
    for (const slot of [10, 12]) await insertBlock(database, slot, 0);
    await setIndexedSlot(database, 10);
    expect(await canAdvance()).toBe(false);
  });

  it('is true before the first slot is indexed, once it is known and stored', async () => {
    await insertBlock(database, 10, 0);
    expect(await canAdvance()).toBe(false);
    await database.query(`UPDATE indexer_state SET first_slot = 10`);
    expect(await canAdvance()).toBe(true);
  });
});
