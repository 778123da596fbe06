import { type BlockRef, sparseBlock } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { slotUpdate, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { HistoryStore } from './history.store';
import { ProjectionStore } from './projection-store';

describe('HistoryStore', () => {
  let database: TestDatabase;
  let store: HistoryStore;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new HistoryStore(database.dataSource);
  });
  afterEach(() => database.empty());
  afterAll(() => database.drop());

  const block = (slot: number, hash = slot): BlockRef => ({ slot: toSlot(slot), blockhash: testHash(hash) });

  it('decides the anchor once, and replaces only the one that is named', async () => {
    expect(await store.findAnchor()).toBeNull();
    expect(await store.decideAnchor(block(40), null)).toEqual(block(40));
    expect(await store.decideAnchor(block(50), null)).toEqual(block(40));
    expect(await store.decideAnchor(block(50), block(40, 1))).toEqual(block(40));
    expect(await store.decideAnchor(block(50), block(40))).toEqual(block(50));
    expect(await store.findAnchor()).toEqual(block(50));
  });

  it('knows how far history is attested, and the times of stored blocks', async () => {
    expect(await store.findAttestedTo()).toBeNull();
    const [sparse, parent] = [sparseBlock(toSlot(10)), sparseBlock(toSlot(9))];
    const attested = { from: toSlot(5), source: 'one', transactions: 0 };
    const link = { ...sparse, parentSlot: parent.slot, parentBlockhash: parent.blockhash, attested };
    const slots = [slotUpdate(10, {}, link)];
    await new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
    expect(await store.findAttestedTo()).toBe(10);
    expect(await store.findBlockTime(sparse)).toBe(1_000);
    expect(await store.findBlockTime(block(10))).toBeNull();
  });

  it('lists the dead letters of a range of slots', async () => {
    const letter = { signature: null, index: 3, reasons: ['transaction: no meta'], json: '{"meta":null}' };
    const slots = [10, 11, 12].map((slot) => slotUpdate(slot, {}, { deadLetters: [letter] }));
    await new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
    const { reasons, json } = letter;
    expect(await store.listDeadLetters([toSlot(11), toSlot(12)])).toEqual([
      { slot: 11, reasons, json },
      { slot: 12, reasons, json },
    ]);
  });
});
