import { describeFunction, setIndexedSlot } from '@fresnel/testing/store';

describeFunction('require_above_index', (database) => {
  const require = (slot: number) => database.query<unknown>(`SELECT require_above_index($1)`, [slot]);

  it('lets blocks pass that are above the indexed slot', async () => {
    await require(1);
    await setIndexedSlot(database, 11);
    await require(12);
  });

  it('fails for a block that the index has passed, so that the transaction is repeated', async () => {
    await setIndexedSlot(database, 11);
    for (const slot of [10, 11]) {
      await expect(require(slot)).rejects.toMatchObject({
        message: 'the index has passed a block of this transaction',
        driverError: { code: '40001' },
      });
    }
  });
});
