import { connect } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { PROJECTOR_GROUP, SLOT_EVENTS, type SlotEventsMessage } from '@fresnel/contracts/messages';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { foldAccounts } from '@fresnel/domain/state';
import { generateLedger } from '@fresnel/ledger-generator';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { TcpLink } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { RunningProjector } from '@fresnel/testing/projector';
import { createTestDatabase, digestState, type TestDatabase, waitForBlockedSessions } from '@fresnel/testing/store';

const SLOTS = readGeneratedSlots([...generateLedger({ seed: 11, slots: 50 })]).map((events): SlotEventsMessage => ({
  kind: 'slot',
  events,
  isOfRange: false,
}));
const HALF = Math.floor(SLOTS.length / 2);
const LAST = SLOTS[SLOTS.length - 1];
const LAST_SLOT = LAST.kind === 'slot' ? LAST.events.slot : LAST.slot;

const POSITION = { consumerGroup: PROJECTOR_GROUP, topic: SLOT_EVENTS.name, partition: 0 };

describe('ProjectorService', () => {
  let expected: string;
  let database: TestDatabase;
  beforeAll(async () => {
    const whole = await createTestDatabase();
    const all = await RunningProjector.start(whole.dataSource);
    await all.publish(SLOTS);
    await all.drain();
    await all.end();
    expected = await digestState(whole.dataSource);
    await whole.drop();
  });
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => database.empty());
  afterAll(() => database.drop());

  const digest = () => digestState(database.dataSource);
  const epoch = async () => {
    const rows = await database.dataSource.query<{ epoch: string }[]>(`SELECT epoch FROM positions`);
    return Number(rows[0].epoch);
  };

  it('stores the same tables slot by slot as in one batch, and moves the position with each slot', async () => {
    const projector = await RunningProjector.start(database.dataSource);
    for (const [at, message] of SLOTS.entries()) {
      await projector.publish([message]);
      await projector.drain();
      expect(await projector.store.findPosition(POSITION)).toBe(BigInt(at + 1));
      const slot = message.kind === 'slot' ? message.events.slot : message.slot;
      expect(await projector.read('fresnel_indexed_slot')).toBe(slot);
    }
    expect(await digest()).toBe(expected);
    expect(await projector.read('fresnel_projector_slots_total')).toBe(SLOTS.length);
    await projector.end();
  });

  it('stores the same tables in batches that follow each other, and ends when the indexed slot has reached the last one', async () => {
    const slots = readGeneratedSlots([...generateLedger({ seed: 12, slots: 230, transactionsPerSlot: 2 })]);
    const messages = slots.map((events): SlotEventsMessage => ({ kind: 'slot', events, isOfRange: false }));
    const first = await RunningProjector.start(database.dataSource);
    const persist = jest.spyOn(first.store, 'persistSlots');
    await first.publish(messages);
    while (persist.mock.calls.length === 0) await new Promise(setImmediate);
    await first.end();
    expect(await first.store.findPosition(POSITION)).toBe(100n);
    const indexed = await database.dataSource.query<unknown[]>(
      `SELECT indexed_slot::integer AS slot FROM indexer_state`,
    );
    expect(indexed).toEqual([{ slot: slots[99].slot }]);
    const second = await RunningProjector.start(database.dataSource);
    await second.publish(messages.slice(100));
    await second.drain();
    await second.end();
    const inBatches = await digest();
    await database.empty();
    const store = new ProjectionStore(database.dataSource);
    const { compressedToken } = LIVE_PROGRAMS;
    for (const events of slots) {
      const facts = await foldAccounts(events, compressedToken, poseidonInline.hashBatch);
      await store.persistSlots({ slots: [{ events, facts }], chainTip: null, position: null });
    }
    expect(inBatches).toBe(await digest());
  });

  it.each([2, 5])('stores the same tables with %i concurrent partitions', async (partitionCount) => {
    const projector = await RunningProjector.start(database.dataSource, { partitionCount });
    await projector.publish(SLOTS);
    await projector.drain();
    await projector.end();
    expect(await digest()).toBe(expected);
  });

  it.each([
    ['its position', HALF],
    ['an earlier slot, because ingest published some slots again', HALF - 9],
    ['the first slot', 0],
  ])('continues after a restart from %s', async (_, from) => {
    const before = await RunningProjector.start(database.dataSource);
    await before.publish(SLOTS.slice(0, HALF));
    await before.drain();
    await before.end();
    const after = await RunningProjector.start(database.dataSource);
    await after.publish(SLOTS.slice(from));
    await after.drain();
    await after.end();
    expect(await digest()).toBe(expected);
    const position = BigInt(HALF + SLOTS.length - from);
    expect(await after.store.findPosition(POSITION)).toBe(position);
  });

  it('finishes the batch in progress when it is stopped, and loses no record', async () => {
    const first = await RunningProjector.start(database.dataSource);
    const persist = jest.spyOn(first.store, 'persistSlots');
    await first.publish(SLOTS.slice(0, 1));
    while (persist.mock.calls.length === 0) await new Promise(setImmediate);
    await first.publish(SLOTS.slice(1));
    await first.end();
    const position = await first.store.findPosition(POSITION);
    expect(position).toBe(1n);
    const second = await RunningProjector.start(database.dataSource);
    await second.publish(SLOTS.slice(Number(position)));
    await second.drain();
    await second.end();
    expect(await digest()).toBe(expected);
  });

  it('waits while the database is unavailable, then continues without losses and duplicates', async () => {
    const link = await TcpLink.to(database.url);
    const viaLink = await connect({ url: link.url, poolSize: 2, applicationName: 'via-link' });
    const projector = await RunningProjector.start(viaLink);
    await projector.publish(SLOTS.slice(0, HALF));
    await projector.drain();
    const before = await digest();
    const persist = jest.spyOn(projector.store, 'persistSlots');
    await link.cut();
    await projector.publish(SLOTS.slice(HALF));
    while (persist.mock.calls.length < 4) await new Promise(setImmediate);
    expect(await digest()).toBe(before);
    await link.restore();
    await projector.drain();
    expect(await digest()).toBe(expected);
    await projector.end();
    await viaLink.destroy();
    await link.cut();
  });

  it('writes a batch again after its transaction was interrupted', async () => {
    const link = await TcpLink.to(database.url);
    const viaLink = await connect({ url: link.url, poolSize: 1, applicationName: 'via-link' });
    const projector = await RunningProjector.start(viaLink);
    const persist = jest.spyOn(projector.store, 'persistSlots');
    const lock = database.dataSource.createQueryRunner();
    await lock.startTransaction();
    // At this point blocks and accounts are written, and the position is not.
    await lock.query('LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
    await projector.publish(SLOTS);
    await waitForBlockedSessions(database.dataSource);
    link.drop();
    await lock.rollbackTransaction();
    await lock.release();
    await projector.drain();
    expect(persist.mock.calls.length).toBeGreaterThan(1);
    expect(await digest()).toBe(expected);
    await projector.end();
    await viaLink.destroy();
    await link.cut();
  });

  it('is fenced when another projector has claimed the partition, and writes nothing', async () => {
    const one = await RunningProjector.start(database.dataSource);
    await one.publish(SLOTS.slice(0, 3));
    await one.drain();
    const before = await digest();
    const other = await RunningProjector.start(database.dataSource);
    while ((await epoch()) < 2) await new Promise(setImmediate);
    await one.publish(SLOTS.slice(3, 5));
    await expect(one.drain()).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
    expect(await digest()).toBe(before);
    await other.publish(SLOTS.slice(3));
    await other.drain();
    expect(await digest()).toBe(expected);
    await other.end();
  });

  it('stores the newest chain tip of a batch, between slots and alone', async () => {
    const tip = (slot: number): SlotEventsMessage => ({ kind: 'tip', slot: toSlot(slot), seenAt: new Date(slot) });
    const projector = await RunningProjector.start(database.dataSource);
    const state = () => database.dataSource.query<object[]>(`SELECT slot, seen_at FROM chain_tip`);
    await projector.publish([tip(LAST_SLOT + 1), ...SLOTS, tip(LAST_SLOT + 2)]);
    await projector.drain();
    expect(await state()).toEqual([{ slot: String(LAST_SLOT + 2), seen_at: new Date(LAST_SLOT + 2) }]);
    await projector.publish([tip(LAST_SLOT + 9)]);
    await projector.drain();
    expect(await state()).toMatchObject([{ slot: String(LAST_SLOT + 9) }]);
    expect(await projector.read('fresnel_chain_tip_slot')).toBe(LAST_SLOT + 9);
    const text = await projector.registry.metrics();
    for (const stage of ['fold', 'persist'])
      expect(text).toMatch(new RegExp(`fresnel_projector_batch_seconds_count\\{stage="${stage}"\\} [1-9]`));
    expect(await digest()).toBe(expected);
    await projector.end();
  });

  it('has no slot metrics until they are known, nor after its partitions are released', async () => {
    const projector = await RunningProjector.start(database.dataSource);
    const names = ['fresnel_indexed_slot', 'fresnel_chain_tip_slot'];
    const read = () => Promise.all(names.map((name) => projector.read(name)));
    expect(await read()).toEqual([undefined, undefined]);
    await projector.publish([{ kind: 'tip', slot: toSlot(LAST_SLOT + 1), seenAt: new Date() }, ...SLOTS]);
    await projector.drain();
    expect(await read()).toEqual([LAST_SLOT, LAST_SLOT + 1]);
    await projector.end();
    expect(await read()).toEqual([undefined, undefined]);
  });

  it('stores a dead letter for a transaction that could not be decoded, logs an error, and continues', async () => {
    const projector = await RunningProjector.start(database.dataSource);
    const error = jest.spyOn(projector.logger, 'error');
    const [first, ...rest] = SLOTS;
    if (first.kind !== 'slot') throw new Error('the first message is not a slot');
    const { signature } = rest.flatMap((one) => (one.kind === 'slot' ? one.events.transactions : []))[0];
    const deadLetters = [{ signature, index: 3, reasons: ['ends too early'], json: '{}' }];
    await projector.publish([{ ...first, events: { ...first.events, deadLetters } }, ...rest]);
    await projector.drain();
    expect(await projector.read('fresnel_indexed_slot')).toBe(LAST_SLOT);
    expect(await projector.read('fresnel_projector_dead_letters_total')).toBe(1);
    expect(error.mock.calls).toEqual([
      [
        { slot: first.events.slot, index: 3, signature: toBase58(signature), reasons: ['ends too early'] },
        'dead letter stored: the transaction could not be decoded completely',
      ],
    ]);
    await projector.end();
  });
});
