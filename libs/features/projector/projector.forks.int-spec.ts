import { PROJECTOR_GROUP, SLOT_EVENTS, type SlotEventsMessage } from '@fresnel/contracts/messages';
import { toBase58, toHash } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { generateLedger } from '@fresnel/ledger-generator';
import { captureLog } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { RunningProjector } from '@fresnel/testing/projector';
import { forkSlots } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { type DataSource } from 'typeorm';

const LEDGER = readGeneratedSlots([...generateLedger({ seed: 41, slots: 30 })]);
const NEW_TRANSACTIONS = readGeneratedSlots([...generateLedger({ seed: 42, slots: 4 })]).flatMap(
  (slot) => slot.transactions,
);
const { shared, orphaned, canonical } = forkSlots(LEDGER, 12, NEW_TRANSACTIONS, 'projector');

const published = (slots: readonly SlotEvents[]) =>
  slots.map((events): SlotEventsMessage => ({ kind: 'slot', events, isOfRange: false }));
const reverted = (slots: readonly SlotEvents[]) =>
  slots.toReversed().map(({ slot, blockhash }): SlotEventsMessage => ({ kind: 'slot-reverted', slot, blockhash }));
const tipOf = (slots: readonly SlotEvents[]) => slots[slots.length - 1].slot;
const IGNORED = 'fresnel_projector_ignored_slots_total';

async function project(dataSource: DataSource, messages: readonly SlotEventsMessage[]): Promise<string> {
  const projector = await RunningProjector.start(dataSource);
  await projector.publish(messages);
  await projector.drain();
  await projector.end();
  return digestState(dataSource);
}

describe('ProjectorService with orphaned blocks', () => {
  let expected: string;
  let database: TestDatabase;
  beforeAll(async () => {
    const clean = await createTestDatabase();
    expected = await project(clean.dataSource, published([...shared, ...canonical]));
    await clean.drop();
  });
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => database.empty());
  afterAll(() => database.drop());

  it('reverts them in the order of the partition, in one batch with the records around the reverts', async () => {
    const projector = await RunningProjector.start(database.dataSource);
    const persist = jest.spyOn(projector.store, 'persistSlots');
    const messages = [...published([...shared, ...orphaned]), ...reverted(orphaned), ...published(canonical)];
    await projector.publish(messages);
    await projector.drain();
    expect(persist.mock.calls.length).toBeLessThan(messages.length);
    expect(await digestState(database.dataSource)).toBe(expected);
    expect(await projector.read('fresnel_indexed_slot')).toBe(tipOf(canonical));
    expect(await projector.read('fresnel_projector_reverted_slots_total')).toBe(orphaned.length);
    expect(await projector.read('fresnel_projector_slots_total')).toBe([...shared, ...orphaned, ...canonical].length);
    const position = { consumerGroup: PROJECTOR_GROUP, topic: SLOT_EVENTS.name, partition: 0 };
    expect(await projector.store.findPosition(position)).toBe(BigInt(messages.length));
    await projector.end();
  });

  it.each([2, 5])('stores the same tables with %i concurrent partitions', async (partitionCount) => {
    const projector = await RunningProjector.start(database.dataSource, { partitionCount });
    await projector.publish([...published([...shared, ...orphaned]), ...reverted(orphaned)]);
    await projector.drain();
    expect(await projector.read('fresnel_indexed_slot')).toBe(tipOf(shared));
    await projector.publish(published(canonical));
    await projector.drain();
    await projector.end();
    expect(await digestState(database.dataSource)).toBe(expected);
  });

  it('moves the indexed slot back, and logs each reverted block', async () => {
    const { logger, lines } = captureLog();
    const projector = await RunningProjector.start(database.dataSource, { logger });
    await projector.publish(published([...shared, ...orphaned]));
    await projector.drain();
    expect(await projector.read('fresnel_indexed_slot')).toBe(tipOf(orphaned));
    await projector.publish(reverted(orphaned.slice(-1)));
    await projector.drain();
    expect(await projector.read('fresnel_indexed_slot')).toBe(tipOf(orphaned.slice(0, -1)));
    const { slot, blockhash } = orphaned[orphaned.length - 1];
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', slot, blockhash: toBase58(blockhash), msg: 'slot reverted: its block is orphaned' },
    ]);
    await projector.end();
  });

  it('ignores duplicates after the revert, and does not count them as stored', async () => {
    await project(database.dataSource, [
      ...published([...shared, ...orphaned]),
      ...reverted(orphaned),
      ...published(canonical),
    ]);
    const { logger, lines } = captureLog();
    const projector = await RunningProjector.start(database.dataSource, { logger });
    await projector.publish([...published(orphaned), ...reverted(orphaned), ...published(canonical)]);
    await projector.drain();
    expect(await digestState(database.dataSource)).toBe(expected);
    expect(await projector.read(IGNORED, { reason: 'orphaned' })).toBe(orphaned.length);
    expect(await projector.read(IGNORED, { reason: 'slot-conflict' })).toBe(0);
    expect(await projector.read('fresnel_projector_slots_total')).toBe(canonical.length);
    expect(await projector.read('fresnel_projector_reverted_slots_total')).toBe(0);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    await projector.end();
  });

  it('logs an error and stores nothing if another block is stored for the slot and was not reverted', async () => {
    const before = await project(database.dataSource, published(LEDGER));
    const { logger, lines } = captureLog();
    const projector = await RunningProjector.start(database.dataSource, { logger });
    const [at] = LEDGER.slice(-3);
    const blockhash = toHash(Buffer.alloc(32, 9));
    await projector.publish(published([{ ...at, blockhash }]));
    await projector.drain();
    expect(await digestState(database.dataSource)).toBe(before);
    expect(await projector.read(IGNORED, { reason: 'slot-conflict' })).toBe(1);
    expect(await projector.read('fresnel_projector_slots_total')).toBe(0);
    expect(await projector.read('fresnel_projector_accounts_created_total')).toBe(0);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        slot: at.slot,
        blockhash: toBase58(blockhash),
        msg: 'slot ignored: another block is stored for the slot and was not reverted',
      },
    ]);
    await projector.end();
  });

  it('logs an error and stores nothing if a transaction lands in a second slot before the first one is reverted', async () => {
    const before = await project(database.dataSource, published(LEDGER));
    const { logger, lines } = captureLog();
    const projector = await RunningProjector.start(database.dataSource, { logger });
    const { transactions } = LEDGER.findLast((events) => events.transactions.length > 0) ?? LEDGER[0];
    const [duplicate] = forkSlots(LEDGER, 1, transactions, 'duplicate').canonical.slice(-1);
    await projector.publish(published([duplicate]));
    await projector.drain();
    expect(duplicate.transactions.length).toBeGreaterThan(0);
    expect(await digestState(database.dataSource)).toBe(before);
    expect(await projector.read(IGNORED, { reason: 'conflicting-facts' })).toBe(1);
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([{ slot: duplicate.slot }]);
    await projector.end();
  });

  it('fails if the first slot of the index is reverted', async () => {
    const projector = await RunningProjector.start(database.dataSource);
    await projector.publish(published(shared));
    await projector.drain();
    const before = await digestState(database.dataSource);
    await projector.publish(reverted(shared.slice(0, 1)));
    await expect(projector.drain()).rejects.toMatchObject({ code: 'first-slot-reverted', isRetryable: false });
    expect(await digestState(database.dataSource)).toBe(before);
  });
});
