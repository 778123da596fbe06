import { toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { consumedAccount, createdAccount, slotUpdate as slotWith, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase, waitForBlockedSessions } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type PersistedBatch, type SlotChange, type SlotRevert } from './slot-batch';

const revert = (slot: number, blockhash = testHash(slot)): SlotRevert => ({
  reverted: { slot: toSlot(slot), blockhash },
});
/** The blockhash of another block in slot `number`. */
const another = (number: number) => ({ blockhash: testHash(number + 100) });

const FIRST = slotWith(10, { created: [createdAccount(9, 7n, 70)] });
const OLD = slotWith(11, { created: [createdAccount(1, 5n, 71)] });
const NEW = slotWith(11, { created: [createdAccount(2, 6n, 72)] }, another(11));

describe('persistSlots', () => {
  let database: TestDatabase;
  let other: TestDatabase;
  let store: ProjectionStore;
  beforeAll(async () => {
    [database, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    store = new ProjectionStore(database.dataSource);
  });
  afterEach(() => Promise.all([database.empty(), other.empty()]));
  afterAll(() => Promise.all([database.drop(), other.drop()]));

  const persist = (...slots: SlotChange[]) => store.persistSlots({ slots, chainTip: null, position: null });
  const digest = () => digestState(database.dataSource);
  /** The contents of tables that received only these slots. */
  const digestOf = async (...slots: SlotChange[]) => {
    const untouched = new ProjectionStore(other.dataSource);
    await untouched.persistSlots({ slots, chainTip: null, position: null });
    return digestState(other.dataSource);
  };
  const reasons = ({ ignored }: PersistedBatch) => ignored.map(({ update, reason }) => [update.events.slot, reason]);

  describe('ignores an orphaned block', () => {
    it('that arrives late, alone or with the block that replaced it', async () => {
      await persist(FIRST, OLD, revert(11), NEW);
      const before = await digest();
      expect(before).toBe(await digestOf(FIRST, NEW));
      expect(reasons(await persist(OLD))).toEqual([[11, 'orphaned']]);
      expect(reasons(await persist(OLD, NEW, OLD))).toEqual([
        [11, 'orphaned'],
        [11, 'orphaned'],
      ]);
      expect(await digest()).toBe(before);
    });

    it('and its descendants', async () => {
      await persist(FIRST, OLD, revert(11));
      expect(reasons(await persist(slotWith(13), slotWith(12), NEW))).toEqual([
        [12, 'orphaned'],
        [13, 'orphaned'],
      ]);
      expect(reasons(await persist(slotWith(14)))).toEqual([[14, 'orphaned']]);
      expect(await digest()).toBe(await digestOf(FIRST, NEW));
    });

    it('and reverts a stored child of it', async () => {
      await persist(FIRST, OLD, slotWith(12, { consumed: [consumedAccount(9, 73)] }), revert(11));
      const duplicate = await persist(slotWith(12));
      expect([reasons(duplicate), duplicate.reverted]).toMatchObject([[[12, 'orphaned']], [{ slot: 12 }]]);
      expect(await digest()).toBe(await digestOf(FIRST));
    });
  });

  describe('ignores a block if another block is stored for its slot', () => {
    it.each([
      ['in a later batch', [[FIRST, OLD], [NEW]]],
      ['in the same batch', [[FIRST, OLD, NEW]]],
    ])('%s, until that one is reverted', async (_, batches) => {
      const answers = [];
      for (const batch of batches) answers.push(await persist(...batch));
      expect(answers.flatMap(reasons)).toEqual([[11, 'slot-conflict']]);
      expect(await digest()).toBe(await digestOf(FIRST, OLD));
      expect(reasons(await persist(revert(11), NEW))).toEqual([]);
      expect((await persist(slotWith(12, {}, { parentBlockhash: testHash(111) }))).indexedSlot).toBe(12);
    });

    it('also if it is marked as the first block of the index', async () => {
      await persist(FIRST);
      const before = await digest();
      expect(reasons(await persist(slotWith(10, {}, another(10))))).toEqual([[10, 'slot-conflict']]);
      expect(await digest()).toBe(before);
    });
  });

  describe('ignores a slot whose facts conflict with a slot that was not reverted', () => {
    const over = { parentSlot: toSlot(10), parentBlockhash: testHash(10), ...another(12) };
    const spend = (slot: number, by: number, frame: Partial<SlotEvents> = {}) =>
      slotWith(slot, { consumed: [consumedAccount(9, by)] }, frame);
    const bare = (slot: number, frame: Partial<SlotEvents> = {}) => {
      const { facts } = slotWith(slot, { consumed: [consumedAccount(9, 74)] });
      const transactions = facts.transactions.map((transaction) => ({ ...transaction, consumed: [] }));
      return slotWith(slot, { transactions }, frame);
    };

    it.each([
      ['both contain the same transaction', OLD, slotWith(12, OLD.facts, over)],
      ['both consume an account, by different transactions', spend(11, 71), spend(12, 72, over)],
      ['both create an account', OLD, slotWith(12, { created: [createdAccount(1, 5n, 75)] }, over)],
      ['both contain the same transaction without accounts', bare(11), bare(12, over)],
    ])('because %s', async (_, stored, conflicting) => {
      await persist(FIRST, stored);
      const answer = await persist(conflicting, slotWith(14));
      expect(reasons(answer)).toEqual([[12, 'conflicting-facts']]);
      expect(await digest()).toBe(await digestOf(FIRST, stored, slotWith(14)));
      expect(reasons(await persist(revert(11), conflicting))).toEqual([]);
      const fresh = await createTestDatabase();
      await new ProjectionStore(fresh.dataSource).persistSlots({
        slots: [FIRST, conflicting, slotWith(14)],
        chainTip: null,
        position: null,
      });
      expect(await digest()).toBe(await digestState(fresh.dataSource));
      await fresh.drop();
    });
  });

  describe('moves the position', () => {
    const key = { consumerGroup: 'projector', topic: 'slot-events', partition: 0 };

    it('with slots and their reverts, in one transaction', async () => {
      const { epoch } = await store.claimPosition(key);
      const slots = [FIRST, OLD, slotWith(12), revert(12), revert(11), NEW, OLD];
      const stale = { ...key, epoch: epoch - 1n, from: 0n, to: 7n };
      await expect(store.persistSlots({ slots, chainTip: null, position: stale })).rejects.toMatchObject({
        code: 'fenced',
      });
      expect(await database.dataSource.query(`SELECT slot FROM orphaned_blocks`)).toEqual([]);
      const written = await store.persistSlots({ slots, chainTip: null, position: { ...stale, epoch } });
      expect([reasons(written), written.indexedSlot]).toEqual([[[11, 'orphaned']], 11]);
      expect(await store.findPosition(key)).toBe(7n);
      expect(await digest()).toBe(await digestOf(FIRST, NEW));
    });

    it('not if the first slot is reverted', async () => {
      const { epoch } = await store.claimPosition(key);
      const slots = [FIRST, revert(10)];
      const position = { ...key, epoch, from: 0n, to: 2n };
      await expect(store.persistSlots({ slots, chainTip: null, position })).rejects.toMatchObject({
        isRetryable: false,
      });
      expect(await store.findPosition(key)).toBeNull();
    });
  });

  describe('with a writer that applies a block while another one reverts it', () => {
    const writes: [string, () => Promise<unknown>][] = [
      ['applies', () => persist(OLD)],
      ['reverts', () => persist(revert(11))],
    ];

    it.each([
      ['applies first', writes],
      ['reverts first', writes.toReversed()],
    ])('stores nothing of the block if one writer %s', async (_, [[, one], [, two]]) => {
      await persist(FIRST);
      const before = await digest();
      const lock = database.dataSource.createQueryRunner();
      await lock.startTransaction();
      await lock.query('LOCK TABLE orphaned_blocks IN ACCESS EXCLUSIVE MODE');
      const first = one();
      await waitForBlockedSessions(database.dataSource);
      const second = two();
      await waitForBlockedSessions(database.dataSource, 2);
      await lock.rollbackTransaction();
      await lock.release();
      await Promise.all([first, second]);
      expect(await digest()).toBe(before);
      expect(reasons(await persist(OLD))).toEqual([[11, 'orphaned']]);
    });

    it('stores nothing of the block also if it was stored before', async () => {
      await persist(FIRST, OLD);
      await Promise.all([persist(OLD), persist(revert(11)), persist(OLD), persist(revert(11)), persist(OLD)]);
      expect(await digest()).toBe(await digestOf(FIRST));
    });
  });
});
