import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { createdAccount as created, slotUpdate as slotWith, testHash as hash } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { KEPT_SLOTS } from './blocks.statement';
import { ProjectionStore } from './projection-store';
import { type SlotUpdate } from './slot-batch';

describe('findBlockTimes', () => {
  let database: TestDatabase;
  let store: ProjectionStore;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new ProjectionStore(database.dataSource);
  });
  afterEach(() => database.empty());
  afterAll(() => database.drop());

  const persist = (...slots: SlotUpdate[]) => store.persistSlots({ slots, chainTip: null, position: null });
  const block = (slot: number, blockhash = hash(slot)): BlockRef => ({ slot: toSlot(slot), blockhash });

  it('finds the times of a block and of its ancestors, newest first', async () => {
    await persist(slotWith(10), slotWith(11), slotWith(12), slotWith(13));
    expect(await store.findBlockTimes(block(12), 2)).toEqual([1200, 1100]);
    expect(await store.findBlockTimes(block(12), 9)).toEqual([1200, 1100, 1000]);
  });

  it('follows links, also past the indexed slot and over slots without a block', async () => {
    await persist(
      slotWith(10),
      slotWith(12, {}, { parentSlot: toSlot(10), parentBlockhash: hash(10) }),
      slotWith(20),
      slotWith(21),
    );
    expect(await store.findBlockTimes(block(12), 9)).toEqual([1200, 1000]);
    expect(await store.findBlockTimes(block(21), 9)).toEqual([2100, 2000]);
  });

  it('finds nothing of a block that is not stored, nor of another one at a stored slot', async () => {
    await persist(slotWith(10, { created: [created(1, 500n, 71)] }), slotWith(11));
    expect(await store.findBlockTimes(block(12), 9)).toEqual([]);
    expect(await store.findBlockTimes(block(10, hash(99)), 9)).toEqual([]);
  });

  it('finds the time of a block that is deleted by now, if a transaction of it is stored', async () => {
    const far = 12 + KEPT_SLOTS;
    await persist(slotWith(10, { created: [created(1, 500n, 71)] }), slotWith(11));
    await persist(slotWith(far, {}, { parentSlot: toSlot(11), parentBlockhash: hash(11) }));
    expect(await store.findBlockTimes(block(10), 9)).toEqual([1000]);
    expect(await store.findBlockTimes(block(11), 9)).toEqual([]);
    expect(await store.findBlockTimes(block(far), 9)).toEqual([far * 100]);
  });
});
