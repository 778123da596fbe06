import { consumedAccount, createdAccount, slotUpdate } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { addAmendment, addRevert, mergeRevisions } from './revisions.statement';
import { type SlotBatch } from './slot-batch';

describe('revisions', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.empty());
  afterAll(() => database.drop());

  const persist = (...slots: SlotBatch['slots']) =>
    new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
  const revisions = () =>
    database.dataSource.query<object[]>(`
      SELECT revision::integer, reverted_to::integer AS "revertedTo", (
        SELECT array_agg((place >> 16) || '/' || (place & 65535) ORDER BY place) FROM unnest(amended) AS place) AS amended
      FROM revisions ORDER BY 1`);
  const counter = async () => {
    const [{ revision }] = await database.dataSource.query<{ revision: string }[]>(
      `SELECT revision FROM indexer_state`,
    );
    return Number(revision);
  };

  const first = slotUpdate(10, { created: [createdAccount(9, 7n, 70)] });
  const both = [createdAccount(1, 5n, 71), createdAccount(2, 6n, 72)];
  const incomplete = slotUpdate(11, { created: both.slice(0, 1) });
  const complete = slotUpdate(11, { created: both });
  const spend = slotUpdate(12, { consumed: [consumedAccount(1, 73), consumedAccount(2, 74)] });
  const revertOf = ({ events: { slot, blockhash } }: typeof first) => ({ reverted: { slot, blockhash } });

  it('do not grow while the index advances, or when slots are repeated', async () => {
    await persist(first, complete);
    await persist(complete, spend);
    expect([await counter(), await revisions()]).toEqual([0, []]);
  });

  it('grow with the revert of indexed slots, which lowers the indexed slot', async () => {
    await persist(first, complete, spend);
    await persist(revertOf(spend), revertOf(complete));
    expect(await revisions()).toEqual([{ revision: 1, revertedTo: 10, amended: null }]);
    await persist(revertOf(complete));
    expect(await counter()).toBe(1);
  });

  it('do not grow with the revert or the completion of a slot that is not indexed', async () => {
    await persist(first, spend);
    await persist(revertOf(spend));
    await persist(incomplete, complete);
    expect(await counter()).toBe(0);
  });

  it('list the transactions that are added to an indexed slot, and those that spend their accounts', async () => {
    await persist(first, incomplete, spend);
    await persist(complete);
    const places = complete.facts.transactions.map(({ transaction }) => transaction.index);
    expect(places).toHaveLength(2);
    const [, added] = places;
    const [, spender] = spend.facts.transactions.map(({ transaction }) => transaction.index);
    expect(await revisions()).toEqual([{ revision: 1, revertedTo: null, amended: [`11/${added}`, `12/${spender}`] }]);
  });

  it('are merged to one from the lowest slot that any of them changed', async () => {
    await database.dataSource.transaction(async (manager) => {
      await addRevert(manager, 50);
      await addAmendment(manager, [
        { slot: 41, index: 7 },
        { slot: 90, index: 0 },
      ]);
      await addAmendment(manager, [{ slot: 30, index: 1 }]);
      await mergeRevisions(manager, 2);
    });
    expect(await revisions()).toEqual([
      { revision: 2, revertedTo: 40, amended: null },
      { revision: 3, revertedTo: null, amended: ['30/1'] },
    ]);
  });
});
