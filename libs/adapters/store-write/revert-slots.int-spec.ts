import { toSlot } from '@fresnel/domain/primitives';
import {
  consumedAccount,
  createdAccount,
  slotUpdate as slotWith,
  TEST_STATE_TREE,
  testHash,
} from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotChange, type SlotRevert } from './slot-batch';

const revert = (slot: number, blockhash = testHash(slot)): SlotRevert => ({
  reverted: { slot: toSlot(slot), blockhash },
});

/** One account, created in slot 11 and consumed in slot 12. Slots 10 and 13 are always stored. */
const FIRST = slotWith(10, { created: [createdAccount(9, 7n, 70)] });
const CREATION = slotWith(11, { created: [createdAccount(1, 500n, 71)] });
const nullification = { txHash: testHash(0x51), nullifier: testHash(0x52), queueIndex: 2n ** 64n - 1n };
const SPEND = slotWith(12, { consumed: [{ ...consumedAccount(1, 72), nullification }] });
const LAST = slotWith(13);

describe('a revert', () => {
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
  const query = <Row>(sql: string) => database.dataSource.query<Row[]>(sql);
  const digest = () => digestState(database.dataSource);
  /** The contents of tables that received only these slots. */
  const digestOf = async (...slots: SlotChange[]) => {
    const untouched = new ProjectionStore(other.dataSource);
    for (const slot of slots) await untouched.persistSlots({ slots: [slot], chainTip: null, position: null });
    return digestState(other.dataSource);
  };
  const indexedSlot = async () =>
    (await query<{ indexed_slot: string | null }>(`SELECT indexed_slot FROM indexer_state`))[0].indexed_slot;

  describe('of a fact of an account leaves the result of the other facts', () => {
    it.each([
      ['created, which is reverted', [CREATION], [11], []],
      ['consumed, which is reverted', [SPEND], [12], []],
      ['both, consumed is reverted', [CREATION, SPEND], [12], [CREATION]],
      ['both, created is reverted', [CREATION, SPEND], [11], [SPEND]],
      ['both, both are reverted, newest first', [CREATION, SPEND], [12, 11], []],
      ['both, both are reverted, oldest first', [CREATION, SPEND], [11, 12], []],
      ['both, consumed arrived first and is reverted', [SPEND, CREATION], [12], [CREATION]],
    ])('%s', async (_, message, reverted, remaining) => {
      await persist(FIRST, LAST, ...message);
      for (const slot of reverted) await persist(revert(slot));
      expect(await digest()).toBe(await digestOf(FIRST, LAST, ...remaining));
    });

    it('also in one batch', async () => {
      await persist(FIRST, CREATION, SPEND, LAST, revert(12), revert(11));
      expect(await digest()).toBe(await digestOf(FIRST, LAST));
    });

    it('and the rows are the same after the facts are applied again', async () => {
      const again = { blockhash: testHash(112), parentBlockhash: testHash(11) };
      await persist(FIRST, CREATION, SPEND, revert(12));
      expect(await query(`SELECT FROM spends`)).toEqual([]);
      await persist(slotWith(12, SPEND.facts, again));
      expect(await digest()).toBe(await digestOf(FIRST, CREATION, slotWith(12, SPEND.facts, again)));
    });
  });

  it('restores a deleted holder, and deletes a new one', async () => {
    const balances = () => query<{ balance: string }>(`SELECT balance FROM token_holders`);
    await persist(slotWith(10, { created: [createdAccount(1, 500n, 70)] }));
    await persist(slotWith(11, { consumed: [consumedAccount(1, 71)] }));
    expect(await balances()).toEqual([]);
    await persist(revert(11));
    expect(await balances()).toEqual([{ balance: '500' }]);
    const moved = { consumed: [consumedAccount(1, 72)], created: [createdAccount(2, 400n, 72)] };
    await persist(slotWith(12, moved, { parentSlot: toSlot(10), parentBlockhash: testHash(10) }));
    expect(await balances()).toEqual([{ balance: '400' }]);
    await persist(revert(12));
    expect(await balances()).toEqual([{ balance: '500' }]);
  });

  it('removes the signatures of the slot and of all indexed slots above it, until they are indexed again', async () => {
    const one = slotWith(11, { created: [createdAccount(1, 5n, 71)] });
    const two = slotWith(12, { created: [createdAccount(2, 5n, 72)], consumed: [consumedAccount(9, 72)] });
    const many = slotWith(13, { consumed: [consumedAccount(1, 73), consumedAccount(2, 73)] });
    await persist(FIRST, one, two, many);
    await persist(revert(12));
    expect(await digest()).toBe(await digestOf(FIRST, one, many));
    for (const table of ['owner_signatures', 'token_owner_signatures']) {
      expect(await query(`SELECT transaction_id >> 16 AS slot FROM ${table} ORDER BY 1`)).toEqual([
        { slot: '10' },
        { slot: '11' },
      ]);
    }
    const branch = slotWith(12, two.facts, { blockhash: testHash(112) });
    await persist(revert(13), branch);
    expect(await digest()).toBe(await digestOf(revert(13), revert(12), branch));
  });

  it('deletes the appends of the slot', async () => {
    const appended = (nextLeafIndex: bigint) => ({ appended: [{ tree: TEST_STATE_TREE.tree, nextLeafIndex }] });
    await persist(slotWith(10), slotWith(11, appended(10n)), slotWith(12, appended(20n)));
    await persist(revert(12));
    expect(await query(`SELECT next_leaf_index FROM tree_appends`)).toEqual([{ next_leaf_index: '10' }]);
  });

  it('deletes transactions and dead letters', async () => {
    const deadLetters = [{ signature: null, index: 3, reasons: ['ends too early'], json: '{}' }];
    await persist(FIRST, slotWith(11, { ...CREATION.facts, deadLetters }));
    await persist(revert(11));
    expect(await query(`SELECT id >> 16 AS slot FROM transactions`)).toEqual([{ slot: '10' }]);
    expect(await query(`SELECT slot FROM dead_letters`)).toEqual([]);
  });

  describe('the indexed slot', () => {
    const chain = [10, 11, 12, 13, 14].map((number) => slotWith(number));

    it.each([
      ['newest first', [14, 13, 12]],
      ['oldest first', [12, 13, 14]],
      ['in no order', [13, 14, 12]],
    ])('is lowered below the reverted blocks, %s, and advances along the new branch', async (_, slots) => {
      await persist(...chain);
      for (const slot of slots) await persist(revert(slot));
      expect(await indexedSlot()).toBe('11');
      const branch = { parentSlot: toSlot(11), parentBlockhash: testHash(11), blockhash: testHash(113) };
      expect((await persist(slotWith(13, {}, branch))).indexedSlot).toBe(13);
    });

    it('does not change when a block above it is reverted', async () => {
      await persist(slotWith(10), slotWith(11), slotWith(13));
      expect((await persist(revert(13))).indexedSlot).toBeNull();
      expect(await indexedSlot()).toBe('11');
    });

    it('advances over the slot of a block on another branch once that block is reverted', async () => {
      const beside = { parentSlot: toSlot(11), parentBlockhash: testHash(99), blockhash: testHash(98) };
      const over = { parentSlot: toSlot(10), parentBlockhash: testHash(10) };
      await persist(slotWith(10), slotWith(12, {}, beside), slotWith(13, {}, over), slotWith(14));
      expect(await indexedSlot()).toBe('10');
      await persist(revert(12, testHash(98)));
      expect(await indexedSlot()).toBe('14');
    });

    it('cannot be lowered below the first block', async () => {
      await persist(slotWith(10), slotWith(11));
      const before = await digest();
      await expect(persist(revert(11), revert(10))).rejects.toMatchObject({
        code: 'first-slot-reverted',
        isRetryable: false,
        message: expect.stringContaining('rebuild the index with an empty database') as string,
      });
      expect(await digest()).toBe(before);
      await expect(persist(slotWith(12), revert(10))).rejects.toMatchObject({ code: 'first-slot-reverted' });
      await persist(revert(10, testHash(99)));
      expect(await digest()).toBe(before);
    });

    it('cannot be lowered below a first block of the same batch', async () => {
      await expect(persist(slotWith(10), revert(10))).rejects.toMatchObject({ code: 'first-slot-reverted' });
      expect(await indexedSlot()).toBeNull();
    });
  });

  it('of a block that is not stored changes nothing, and is recorded', async () => {
    await persist(FIRST, CREATION);
    const before = await digest();
    expect((await persist(revert(11, testHash(111)), revert(15))).reverted).toEqual([]);
    expect(await digest()).toBe(before);
    const late = await persist(slotWith(15), slotWith(11, {}, { blockhash: testHash(111) }));
    expect(late.ignored.map(({ update, reason }) => [update.events.slot, reason])).toEqual([
      [11, 'orphaned'],
      [15, 'orphaned'],
    ]);
    expect(await digest()).toBe(before);
  });

  it('can be repeated, and returns the reverted block once', async () => {
    await persist(FIRST, CREATION, SPEND);
    expect((await persist(revert(12), revert(12))).reverted).toMatchObject([{ slot: 12, blockhash: testHash(12) }]);
    const before = await digest();
    expect((await persist(revert(12))).reverted).toEqual([]);
    expect(await digest()).toBe(before);
  });
});
