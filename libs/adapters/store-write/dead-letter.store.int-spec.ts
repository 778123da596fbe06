import { toSlot } from '@fresnel/domain/primitives';
import { slotUpdate, testSignature } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { DeadLetterStore } from './dead-letter.store';
import { ProjectionStore } from './projection-store';

const HOUR_MS = 3_600_000;

describe('the store of dead letters', () => {
  let database: TestDatabase;
  let letters: DeadLetterStore;
  beforeAll(async () => {
    database = await createTestDatabase();
    letters = new DeadLetterStore(database.dataSource);
  });
  beforeEach(() => database.empty());
  afterAll(() => database.drop());

  const letter = (index: number, ...reasons: string[]) => ({
    signature: testSignature(index),
    index,
    reasons,
    json: `{"index":${index}}`,
  });
  const persist = (slot: number, ...deadLetters: ReturnType<typeof letter>[]) =>
    new ProjectionStore(database.dataSource).persistSlots({
      slots: [slotUpdate(slot, {}, { deadLetters })],
      chainTip: null,
      position: null,
    });
  const due = { limit: 100, maxSlot: toSlot(1_000), firstPauseMs: HOUR_MS, maxPauseMs: 4 * HOUR_MS };
  const take = (changes: Partial<typeof due> = {}) => letters.takeDue({ ...due, ...changes });
  const places = (found: readonly { slot: number; index: number }[]) => found.map(({ slot, index }) => [slot, index]);
  /** Lets time pass. */
  const waitMs = (milliseconds: number) =>
    database.dataSource.query(`UPDATE dead_letters SET retry_at = retry_at - $1::float8 * interval '1 millisecond'`, [
      milliseconds,
    ]);

  it('gives a dead letter to one of several processes, with its transaction', async () => {
    await persist(10, letter(1, 'unread'), letter(2, 'unread'));
    await persist(11, letter(3, 'unread'));
    const taken = (await Promise.all([take({ limit: 2 }), take({ limit: 2 }), take({ limit: 2 })])).flat();
    expect(places(taken).sort()).toEqual([
      [10, 1],
      [10, 2],
      [11, 3],
    ]);
    expect(taken.find(({ index }) => index === 3)).toEqual({ ...letter(3, 'unread'), slot: 11 });
    expect(await take()).toEqual([]);
  });

  it('waits twice as long before each retry, up to a maximum', async () => {
    await persist(10, letter(1, 'unread'));
    for (const pauseHours of [1, 2, 4, 4]) {
      expect(places(await take())).toEqual([[10, 1]]);
      await waitMs(pauseHours * HOUR_MS - 60_000);
      expect(await take()).toEqual([]);
      await waitMs(60_000);
    }
    expect((await letters.list({}, 10)).map(({ retries }) => retries)).toEqual([4]);
  });

  it('does not give those of blocks that may be orphaned', async () => {
    await persist(10, letter(1, 'unread'));
    await persist(11, letter(2, 'unread'));
    expect(places(await take({ maxSlot: toSlot(10) }))).toEqual([[10, 1]]);
    expect(places(await take())).toEqual([[11, 2]]);
  });

  it('gives those again that an operator marks', async () => {
    await persist(10, letter(1, 'unread'), letter(2, 'unread'));
    await persist(11, letter(3, 'unread'));
    await take();
    expect(await letters.markDue({ slot: toSlot(10), index: 2 })).toBe(1);
    expect(places(await take())).toEqual([[10, 2]]);
    expect(await letters.markDue({ slot: toSlot(10) })).toBe(2);
    expect(await letters.markDue({})).toBe(3);
    expect(await letters.markDue({ slot: toSlot(12) })).toBe(0);
    expect(places(await take())).toHaveLength(3);
  });

  it('lists and counts them, and finds their transactions', async () => {
    await persist(10, letter(1, 'unread', 'malformed'), letter(2, 'unread'));
    expect(await letters.count()).toBe(2);
    const [first] = await letters.list({ slot: toSlot(10) }, 1);
    expect(first).toMatchObject({ slot: 10, index: 1, reasons: ['unread', 'malformed'], retries: 0 });
    expect(first.signature).toEqual(testSignature(1));
    expect(await letters.findTransaction(toSlot(10), 2)).toBe('{"index":2}');
    expect(await letters.findTransaction(toSlot(10), 3)).toBeNull();
  });

  it('updates reasons of a slot that is published again, and adds no dead letter', async () => {
    await persist(10, letter(1, 'unread', 'malformed'));
    await take();
    await persist(10, letter(1, 'malformed'), letter(2, 'unread'));
    expect(await letters.list({}, 10)).toMatchObject([{ index: 1, reasons: ['malformed'], retries: 1 }]);
  });
});
