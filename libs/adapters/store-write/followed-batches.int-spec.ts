import { consumedAccount as consumed, createdAccount as created, slotUpdate as slotWith } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase, waitForBlockedSessions } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotUpdate } from './slot-batch';

/** Accounts are created in one slot and consumed in the next one. */
const SLOTS = Array.from({ length: 6 }, (_, at) =>
  at % 2 === 0
    ? slotWith(10 + at, { created: [created(at + 1, 500n, 71 + at)] })
    : slotWith(10 + at, { consumed: [consumed(at, 71 + at)] }),
);

describe('batches that are followed by another one', () => {
  let database: TestDatabase;
  let store: ProjectionStore;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new ProjectionStore(database.dataSource);
  });
  afterEach(() => database.empty());
  afterAll(() => database.drop());

  const persist = (slots: readonly SlotUpdate[], isFollowed: boolean) =>
    store.persistSlots({ slots, chainTip: null, position: null, isFollowed });
  const indexedSlot = async () => {
    const [state] = await database.dataSource.query<{ slot: string | null }[]>(
      `SELECT indexed_slot AS slot FROM indexer_state`,
    );
    return state.slot === null ? null : Number(state.slot);
  };

  it('lead to the same tables', async () => {
    await persist(SLOTS, false);
    const expected = await digestState(database.dataSource);
    await database.empty();
    for (const [at, slot] of SLOTS.entries()) await persist([slot], at < SLOTS.length - 1);
    expect(await indexedSlot()).toBe(15);
    expect(await digestState(database.dataSource)).toBe(expected);
  });

  it('are written while the indexed slot advances over the batch before, and not further ahead', async () => {
    const reader = database.dataSource.createQueryRunner();
    await reader.startTransaction();
    await reader.query(`LOCK TABLE token_holders IN ACCESS EXCLUSIVE MODE`);
    expect((await persist(SLOTS.slice(0, 1), true)).indexedSlot).toBeNull();
    await waitForBlockedSessions(database.dataSource);
    const second = persist(SLOTS.slice(1, 2), true);
    let isSecondDone = false;
    void second.then(() => (isSecondDone = true));
    const stored = () => database.dataSource.query<object[]>(`SELECT FROM blocks`);
    while ((await stored()).length < 2) await new Promise(setImmediate);
    expect([await indexedSlot(), isSecondDone]).toEqual([null, false]);
    await reader.rollbackTransaction();
    await reader.release();
    // An advance looks again before it ends.
    expect((await second).indexedSlot).toBe(11);
    expect((await persist(SLOTS.slice(2), false)).indexedSlot).toBe(15);
  });

  it('fail if the indexed slot could not advance over the batch before, and advance over both when they are repeated', async () => {
    const rename = (from: string, to: string) => database.dataSource.query(`ALTER TABLE ${from} RENAME TO ${to}`);
    await rename('token_holders', 'renamed');
    await persist(SLOTS.slice(0, 1), true);
    await store.waitUntilAdvanced();
    await expect(persist(SLOTS.slice(1, 3), true)).rejects.toThrow('"token_holders" does not exist');
    await rename('renamed', 'token_holders');
    await persist(SLOTS.slice(1, 3), true);
    await store.waitUntilAdvanced();
    expect(await indexedSlot()).toBe(12);
    expect((await persist(SLOTS.slice(3), false)).indexedSlot).toBe(15);
  });
});
