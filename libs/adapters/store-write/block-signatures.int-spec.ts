import { findBlockSignatures, Reader, SignaturesNotRecordedError } from '@fresnel/adapters/store-read';
import { type Signature, toSlot } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import { slotUpdate, testHash, testSignature } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotChange } from './slot-batch';

/** A slot with `count` signatures: each begins with the slot and its position in the block. */
const slotWith = (slot: number, count: number) => {
  const signatures = Array.from({ length: count }, (_, at) => {
    const signature = testSignature(7);
    signature.writeUInt32BE(slot);
    signature.writeUInt32BE(at, 4);
    return signature;
  });
  return slotUpdate(slot, {}, { signatures });
};
const unrecorded = (slot: number) => slotUpdate(slot);
const placeOf = (signature: Signature) => [signature.readUInt32BE(), signature.readUInt32BE(4)];

describe('signatures of all transactions', () => {
  let database: TestDatabase;
  let store: ProjectionStore;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new ProjectionStore(database.dataSource);
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
  });
  afterEach(() => database.empty());
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  const persist = (...slots: SlotChange[]) => store.persistSlots({ slots, chainTip: null, position: null });
  const find = (limit: number, after: { slot: number; signature: Signature } | null = null) =>
    findBlockSignatures(reader, limit, after && { ...after, slot: BigInt(after.slot) });
  const places = async (limit = 1000) => (await find(limit)).items.map(({ signature }) => placeOf(signature));

  it('are listed by slot, then by bytes, both descending, up to the indexed slot', async () => {
    await persist(slotWith(10, 2), slotWith(11, 0), slotWith(12, 3), slotWith(14, 5));
    const { slot, items } = await find(1000);
    expect(slot).toBe(12);
    expect(items.map(({ signature }) => placeOf(signature))).toEqual([
      [12, 2],
      [12, 1],
      [12, 0],
      [10, 1],
      [10, 0],
    ]);
    expect(items[0]).toEqual({ slot: 12, blockTime: 1200, signature: items[0].signature });
  });

  it('are the same in pages of any size', async () => {
    await persist(slotWith(10, 4), slotWith(11, 1), slotWith(12, 3));
    const all = (await find(1000)).items;
    expect(all).toHaveLength(8);
    for (const limit of [1, 2, 3, 7]) {
      const paged = [];
      for (let page = (await find(limit)).items; page.length > 0; page = (await find(limit, page.at(-1))).items) {
        paged.push(...page);
      }
      expect(paged).toEqual(all);
    }
    expect((await find(0)).items).toEqual([]);
    expect((await find(5, { slot: 11, signature: testSignature(0) })).items).toEqual(all.slice(4));
  });

  it('of an orphaned block are replaced by those of the other branch', async () => {
    await persist(slotWith(10, 1), slotWith(11, 2), slotWith(12, 2));
    await persist(...[12, 11].map((slot) => ({ reverted: { slot: toSlot(slot), blockhash: testHash(slot) } })));
    expect(await places()).toEqual([[10, 0]]);
    const other = slotUpdate(11, {}, { blockhash: testHash(99), signatures: [testSignature(9)] });
    await persist(other);
    expect((await find(1000)).items.map(({ signature }) => signature.at(-1))).toEqual([9, 7]);
  });

  it('are unknown while blocks are indexed without them', async () => {
    await persist(slotWith(10, 1), unrecorded(11));
    await expect(find(10)).rejects.toThrow(SignaturesNotRecordedError);
    await persist(slotWith(12, 1));
    expect((await places())[0]).toEqual([12, 0]);
  });

  it('can be added to a block that was stored without them', async () => {
    await persist(unrecorded(10));
    await persist(slotWith(10, 1));
    expect(await places()).toEqual([[10, 0]]);
  });
});
