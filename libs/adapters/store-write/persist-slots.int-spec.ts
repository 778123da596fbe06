import { connect, StoreUnavailableError } from '@fresnel/adapters/store-schema';
import { toSlot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { TcpLink } from '@fresnel/testing/generic';
import {
  consumedAccount as consumed,
  createdAccount as created,
  slotUpdate as slotWith,
  TEST_STATE_TREE as TREE,
  testHash as hash,
} from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { type SlotUpdate } from './slot-batch';
import { OtherChainError, ProjectionStore } from './projection-store';

describe('persistSlots', () => {
  let database: TestDatabase;
  let store: ProjectionStore;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new ProjectionStore(database.dataSource);
  });
  afterEach(() => database.empty());
  afterAll(() => database.drop());

  const persist = (...slots: SlotUpdate[]) => store.persistSlots({ slots, chainTip: null, position: null });
  const query = <Row>(sql: string) => database.dataSource.query<Row[]>(sql);
  const balances = async () =>
    (await query<{ balance: string }>(`SELECT balance FROM token_holders`)).map(({ balance }) => balance);
  const ownerSignatures = async (table = 'owner_signatures') =>
    (
      await query<{ slot: string; block_time: string; signature: Buffer }>(
        `SELECT t.id >> 16 AS slot, t.block_time, t.signature FROM ${table} o JOIN transactions t ON t.id = o.transaction_id
         ORDER BY t.id`,
      )
    ).map((row) => [Number(row.slot), Number(row.block_time), row.signature[0]]);
  const createdSlots = async () =>
    (await query<{ slot: string }>(`SELECT created_by >> 16 AS slot FROM accounts`)).map(({ slot }) => slot);
  const changing = async () =>
    (await query<{ slot: string }>(`SELECT slot FROM blocks WHERE changes_trees ORDER BY slot`)).map(
      ({ slot }) => slot,
    );
  const spentSlots = async () =>
    (await query<{ slot: string }>(`SELECT spent_by >> 16 AS slot FROM spends`)).map(({ slot }) => slot);

  const creation = () => slotWith(10, { created: [created(1, 500n, 71)] });
  const consumption = () => slotWith(11, { consumed: [consumed(1, 72)] });

  it('adds balance and signatures of a created account', async () => {
    await persist(creation());
    expect([await createdSlots(), await spentSlots()]).toEqual([['10'], []]);
    expect(await balances()).toEqual(['500']);
    expect(await ownerSignatures()).toEqual([[10, 1000, 71]]);
    expect(await ownerSignatures('token_owner_signatures')).toEqual([[10, 1000, 71]]);
  });

  it('reduces the balance when an account is consumed, and deletes an empty holder', async () => {
    await persist(creation());
    await persist(consumption());
    expect(await spentSlots()).toEqual(['11']);
    expect(await balances()).toEqual([]);
    expect(await ownerSignatures()).toEqual([
      [10, 1000, 71],
      [11, 1100, 72],
    ]);
  });

  it('stores facts that are not indexed yet, and nothing that follows from them', async () => {
    await persist(consumption());
    expect([await createdSlots(), await spentSlots()]).toEqual([[], ['11']]);
    expect([await balances(), await ownerSignatures()]).toEqual([[], []]);
    await persist(creation());
    expect([await createdSlots(), await spentSlots()]).toEqual([['10'], ['11']]);
    expect(await balances()).toEqual([]);
    for (const table of ['owner_signatures', 'token_owner_signatures']) {
      expect(await ownerSignatures(table)).toEqual([
        [10, 1000, 71],
        [11, 1100, 72],
      ]);
    }
  });

  it('creation and consumption in one batch have the same result as in two batches', async () => {
    await persist(creation(), consumption());
    const together = await digestState(database.dataSource);
    const other = await createTestDatabase();
    const otherStore = new ProjectionStore(other.dataSource);
    for (const slot of [consumption(), creation()])
      await otherStore.persistSlots({ slots: [slot], chainTip: null, position: null });
    expect(await digestState(other.dataSource)).toBe(together);
    await other.drop();
  });

  it('a duplicate slot changes nothing, in any state', async () => {
    for (const slots of [[creation()], [creation()], [consumption()], [creation(), creation(), consumption()]])
      await persist(...slots);
    const before = await digestState(database.dataSource);
    await persist(consumption(), creation());
    await persist(creation());
    expect(await digestState(database.dataSource)).toBe(before);
  });

  it('stores a leaf whose body could not be parsed, without owner and signatures', async () => {
    await persist(slotWith(10, { created: [{ ...created(1, null, 71), body: null }] }));
    expect(await query(`SELECT owner, lamports FROM accounts`)).toEqual([{ owner: null, lamports: null }]);
    expect(await ownerSignatures()).toEqual([]);
  });

  it('stores the appends of all slots, for any order of arrival', async () => {
    const appended = (nextLeafIndex: bigint) => ({ appended: [{ tree: TREE.tree, nextLeafIndex }] });
    await persist(slotWith(12, appended(30n)));
    await persist(slotWith(11, appended(20n)), slotWith(10, appended(10n)));
    expect(await query(`SELECT slot, next_leaf_index FROM tree_appends ORDER BY slot`)).toEqual([
      { slot: '10', next_leaf_index: '10' },
      { slot: '11', next_leaf_index: '20' },
      { slot: '12', next_leaf_index: '30' },
    ]);
  });

  it('stores which blocks change a tree of any type', async () => {
    const stateV1: TreeInfo = { ...TREE, type: 'stateV1' };
    const addressV2: TreeInfo = { ...TREE, type: 'addressV2' };
    const framesOfSlots = [[], [TREE], [], [stateV1], [addressV2]].map((trees) => ({ trees }));
    await persist(...framesOfSlots.map((frame, at) => slotWith(10 + at, {}, frame)));
    expect(await changing()).toEqual(['11', '13', '14']);
  });

  it('stores that a block with a dead letter may change a tree, as its watermark says', async () => {
    const deadLetter = { signature: null, index: 1, json: '{}', reasons: ['the node lags'] };
    const lettersOfSlots = [[], [deadLetter], []];
    await persist(...lettersOfSlots.map((deadLetters, at) => slotWith(10 + at, {}, { trees: [], deadLetters })));
    expect(await changing()).toEqual(['11']);
  });

  describe('the indexed slot', () => {
    const indexedSlot = async () =>
      (await query<{ indexed_slot: string | null }>(`SELECT indexed_slot FROM indexer_state`))[0].indexed_slot;

    it('is set by the first block, and advances when gaps are filled', async () => {
      expect((await persist(slotWith(12), slotWith(13))).indexedSlot).toBeNull();
      expect(await indexedSlot()).toBeNull();
      expect((await persist(slotWith(10))).indexedSlot).toBe(10);
      expect((await persist(slotWith(15))).indexedSlot).toBeNull();
      expect((await persist(slotWith(11))).indexedSlot).toBe(13);
      expect(await indexedSlot()).toBe('13');
    });

    it('follows parents across skipped slots, but not to a block with another parent', async () => {
      const over = { parentSlot: toSlot(10), parentBlockhash: hash(10) };
      await persist(slotWith(10), slotWith(14, {}, over));
      expect(await indexedSlot()).toBe('14');
      await persist(slotWith(15, {}, { parentBlockhash: hash(99) }));
      expect(await indexedSlot()).toBe('14');
    });
  });

  describe('the position', () => {
    const key = { consumerGroup: 'projector', topic: 'slot-events', partition: 0 };
    let epoch: bigint;
    beforeEach(async () => ({ epoch } = await store.claimPosition(key)));
    const move = (from: bigint, to: bigint) => ({ ...key, epoch, from, to });

    it('moves with the data', async () => {
      await store.persistSlots({ slots: [creation()], chainTip: null, position: move(0n, 5n) });
      await store.persistSlots({ slots: [], chainTip: null, position: move(5n, 7n) });
      expect(await store.findPosition(key)).toBe(7n);
      expect(await store.findPosition({ ...key, partition: 1 })).toBeNull();
    });

    it('accepts a retried batch that was committed although the response was lost', async () => {
      for (const attempt of [1, 2]) {
        await store.persistSlots({ slots: [slotWith(10)], chainTip: null, position: move(0n, 5n) });
        expect([attempt, await store.findPosition(key)]).toEqual([attempt, 5n]);
      }
    });

    it('fences a batch after another consumer claimed the partition', async () => {
      await store.persistSlots({ slots: [], chainTip: null, position: move(0n, 5n) });
      expect(await store.claimPosition(key)).toEqual({ offset: 5n, epoch: epoch + 1n });
      for (const [from, to] of [
        [5n, 6n],
        [0n, 5n],
      ]) {
        const zombie = store.persistSlots({ slots: [creation()], chainTip: null, position: move(from, to) });
        await expect(zombie).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
      }
      expect([await createdSlots(), await store.findPosition(key)]).toEqual([[], 5n]);
      expect(await query('SELECT id FROM trees')).toEqual([]);
    });

    it('moves over each record once, if a failover has lost a claim and two consumers have the same epoch', async () => {
      const persistUpTo = (from: bigint, to: bigint, slots: SlotUpdate[] = []) =>
        store.persistSlots({ slots, chainTip: null, position: move(from, to) });
      const fenced = { code: 'fenced' };
      await persistUpTo(0n, 5n, [creation()]);
      const before = await createdSlots();
      await expect(persistUpTo(0n, 4n, [consumption()])).rejects.toMatchObject(fenced);
      await expect(persistUpTo(0n, 6n, [consumption()])).rejects.toMatchObject(fenced);
      await persistUpTo(0n, 5n, [creation()]);
      expect([await createdSlots(), await spentSlots()]).toEqual([before, []]);
      await persistUpTo(5n, 7n, [consumption()]);
      await expect(persistUpTo(5n, 6n, [consumption()])).rejects.toMatchObject(fenced);
      expect([await spentSlots(), await store.findPosition(key)]).toEqual([['11'], 7n]);
    });

    it('is at the first record before the first batch: a lost first commit is noticed', async () => {
      const second = store.persistSlots({ slots: [creation()], chainTip: null, position: move(5n, 7n) });
      await expect(second).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
      expect([await createdSlots(), await store.findPosition(key)]).toEqual([[], null]);
      await store.persistSlots({ slots: [creation()], chainTip: null, position: move(0n, 5n) });
      expect(await store.findPosition(key)).toBe(5n);
    });

    it('fences the whole batch if it is not at the start of the batch', async () => {
      await store.persistSlots({ slots: [], chainTip: null, position: move(0n, 5n) });
      const late = store.persistSlots({ slots: [creation()], chainTip: null, position: move(3n, 4n) });
      await expect(late).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
      expect(await createdSlots()).toEqual([]);
      expect(await store.findPosition(key)).toBe(5n);
    });
  });

  it('concurrent writers of the same accounts in opposite order both succeed', async () => {
    const many = Array.from({ length: 60 }, (_, seed) => seed + 1);
    const creations = (numbers: number[]) => slotWith(10, { created: numbers.map((seed) => created(seed, 1n, 71)) });
    const spends = (numbers: number[]) => slotWith(11, { consumed: numbers.map((seed) => consumed(seed, 72)) });
    const reversed = many.toReversed();
    await Promise.all([
      persist(creations(many), spends(reversed)),
      persist(spends(many), creations(reversed)),
      persist(creations(reversed)),
      persist(spends(many)),
    ]);
    expect(await query(`SELECT count(*) FROM accounts JOIN spends USING (hash) WHERE spent_by >> 16 = 11`)).toEqual([
      { count: '60' },
    ]);
    expect(await balances()).toEqual([]);
  });

  it('stores dead letters unchanged', async () => {
    const deadLetters = [
      {
        signature: null,
        index: 4,
        reasons: ['a "quoted" reason', 'back\\slash, {brace}'],
        json: '{"x":18446744073709551615}',
      },
    ];
    const slot = slotWith(10, { deadLetters }, { deadLetters: [{ ...deadLetters[0], index: 5 }] });
    await persist(slot);
    await persist(slot);
    const rows = await query<{ block_index: number; reasons: string[]; json: string }>(
      `SELECT * FROM dead_letters ORDER BY block_index`,
    );
    expect(rows.map(({ block_index, reasons, json }) => [block_index, reasons, json])).toEqual([
      [4, deadLetters[0].reasons, deadLetters[0].json],
      [5, deadLetters[0].reasons, deadLetters[0].json],
    ]);
  });

  it('stores the newest chain tip', async () => {
    const tip = (slot: number, second: number) => ({ slot, seenAt: new Date(second * 1000) });
    await store.persistSlots({ slots: [], chainTip: tip(20, 5), position: null });
    await store.persistSlots({ slots: [], chainTip: tip(19, 6), position: null });
    expect(await query(`SELECT slot, seen_at FROM chain_tip`)).toEqual([{ slot: '20', seen_at: new Date(6000) }]);
  });

  it('belongs to one chain', async () => {
    await store.claimChain('one');
    await store.claimChain('one');
    await expect(store.claimChain('another')).rejects.toThrow(OtherChainError);
  });

  it('throws retryable errors while the database is unreachable', async () => {
    const link = await TcpLink.to(database.url);
    const away = await connect({ url: link.url, poolSize: 1, applicationName: 'away' });
    const distant = new ProjectionStore(away);
    await link.cut();
    for (const attempt of [1, 2]) {
      await expect(distant.claimChain(`${attempt}`)).rejects.toMatchObject({ isRetryable: true });
      await expect(distant.persistSlots({ slots: [slotWith(10)], chainTip: null, position: null })).rejects.toThrow(
        StoreUnavailableError,
      );
    }
    await link.restore();
    await distant.claimChain('one');
    await away.destroy();
    await link.cut();
  });
});
