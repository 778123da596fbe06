import { findAccount, Reader } from '@fresnel/adapters/store-read';
import { type PersistedBatch, ProjectionStore, type SlotChange } from '@fresnel/adapters/store-write';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { type SlotEventsMessage } from '@fresnel/contracts/messages';
import { type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { createLogger } from '@fresnel/platform';
import { createTestSource } from '@fresnel/testing/block-sources';
import { FakeNode } from '@fresnel/testing/chain';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import { RecordingBus } from '@fresnel/testing/ingest';
import { consumedAccount, createdAccount, slotUpdate as slotWith, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type Correction } from '../follow/published-blocks';
import { type SlotReader } from '../read/slot.reader';
import { IndexRepairer } from './index.repairer';
import { PostgresStoredBlocks } from './stored-blocks';

const { signal } = new AbortController();
const reasons = ({ ignored }: PersistedBatch) => ignored.map(({ update, reason }) => [update.events.slot, reason]);
const frame = (slot: number, parent: number): Partial<SlotEvents> => ({
  blockhash: testHash(slot),
  parentSlot: toSlot(parent),
  parentBlockhash: testHash(parent),
});
type SlotUpdate = ReturnType<typeof slotWith>;

/** Facts that projectors have stored, and an ingest that repairs them. Its node has the blocks of the given slots. */
describe('facts of an orphaned block', () => {
  let database: TestDatabase;
  let store: ProjectionStore;
  let reader: Reader;
  let node: FakeNode;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new ProjectionStore(database.dataSource);
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
  });
  beforeEach(async () => {
    node = await FakeNode.start();
  });
  afterEach(async () => {
    await node.close();
    await database.empty();
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  const persist = (...slots: SlotChange[]) => store.persistSlots({ slots, chainTip: null, position: null });
  const isShown = async (seed: number) => (await findAccount(reader, { hash: testHash(seed) })).account !== null;
  const indexedSlot = async () => {
    const [{ indexed_slot: slot }] = await database.dataSource.query<{ indexed_slot: string }[]>(
      'SELECT indexed_slot FROM indexer_state',
    );
    return Number(slot);
  };

  /** Repairs as long as that changes something. @returns the orphaned slots, and those that were published again */
  async function repair(chain: readonly SlotUpdate[]) {
    node.add(
      chain.map(({ events: { slot, parentSlot, blockhash, parentBlockhash } }) => {
        const [hash, parent] = [blockhash, parentBlockhash].map(toBase58);
        const block = {
          slot,
          parentSlot,
          blockhash: hash,
          previousBlockhash: parent,
          blockTime: 1_700_000_000,
          blockHeight: slot,
        };
        return { slot, json: JSON.stringify({ ...block, transactions: [] }) };
      }),
    );
    const orphaned: number[] = [];
    const missing: SlotUpdate[] = [];
    const correct = async (correction: Correction) => {
      orphaned.push(...correction.orphaned.map(({ slot }) => slot));
      await persist(...correction.orphaned.map((reverted) => ({ reverted })));
      await persist(...chain.filter(({ events }) => events.slot > (correction.forkPoint?.slot ?? 0)));
    };
    const updates = new Map(chain.map((update) => [update.events.slot, update]));
    const bus = new RecordingBus();
    // What a projector does with the records of a range.
    bus.publish = async (_, messages) => {
      for (const message of messages as readonly SlotEventsMessage[]) {
        if (message.kind === 'slot') missing.push(updates.get(message.events.slot) ?? slotWith(0));
      }
      await persist(...missing);
    };
    const read = ({ slot }: { slot: Slot }) => Promise.resolve(updates.get(slot)?.events);
    const stored = new PostgresStoredBlocks(store, new PostgresTreeReads(database.dataSource.manager));
    const { source } = createTestSource(node);
    await source.findTip(signal);
    const parts = { stored, source, bus, reader: { read } as unknown as SlotReader, follow: { correct } };
    const repairer = new IndexRepairer(parts, 0, createLogger('silent'));
    for (let time = 0; time < 5; time++) await repairer.repair(signal);
    return { orphaned, missing };
  }

  /*
   * The chain:                      10 ── 11 ── 13 ── 14 …        slot 12 is skipped
   * An ingest on another branch:          └── 12                  it ends before it reverts 12
   * The record of 12 is applied after 13 is indexed: the two slots are in different partitions of slot-events.
   */
  describe('at a slot that the chain has skipped', () => {
    const FIRST = slotWith(10, { created: [createdAccount(9, 7n, 70)] });
    const ORPHANED = slotWith(12, { created: [createdAccount(50, 5n, 80)], consumed: [consumedAccount(9, 80)] });
    const NEXT = slotWith(13, { created: [createdAccount(60, 6n, 81)] }, frame(13, 11));
    const START = [FIRST, slotWith(11), NEXT];

    it('are not shown by answers as of later slots', async () => {
      const later = Array.from({ length: 50 }, (_, at) => slotWith(14 + at));
      await persist(...START);
      await persist(ORPHANED);
      await persist(...later);
      const answers = async () => [await indexedSlot(), await isShown(50), await isShown(9)];
      expect(await answers()).toEqual([63, false, true]);
      await repair([...START, ...later]);
      expect(await answers()).toEqual([63, false, true]);
    });

    it('do not stop the index for ever when the chain consumes the same account', async () => {
      const later = [
        slotWith(14, { consumed: [consumedAccount(9, 82)] }),
        ...Array.from({ length: 60 }, (_, at) => slotWith(15 + at)),
      ];
      await persist(...START);
      await persist(ORPHANED);
      for (const update of later) await persist(update);
      await repair([...START, ...later]);
      expect(await indexedSlot()).toBe(74);
    });

    it('are not shown if both blocks are stored before the indexed slot advances', async () => {
      const later = Array.from({ length: 50 }, (_, at) => slotWith(14 + at));
      await persist(FIRST, slotWith(11), ORPHANED, NEXT);
      await persist(...later);
      expect([await isShown(50), await isShown(9)]).toEqual([false, true]);
      await repair([...START, ...later]);
      expect([await isShown(50), await isShown(9), await indexedSlot()]).toEqual([false, true, 63]);
    });

    it('are not stored after its slot, and the blocks around it, are deleted', async () => {
      const far = toSlot(3_000);
      await persist(...START);
      await persist(slotWith(far, {}, { ...frame(99, 13), slot: far }));
      await database.dataSource.query(`DELETE FROM blocks WHERE slot < $1`, [far - 2_048]);
      await persist(ORPHANED);
      expect([await isShown(50), await isShown(9)]).toEqual([false, true]);
    });
  });

  /*
   * One ingest, one fork that was followed correctly, and the database is restored to the time before it. The log of each
   * partition is in order, the partitions are not:
   *
   *   partition 0    10 · 12 (orphaned) · revert 12 · 14 · 16 …
   *   partition 1    11 · 13 (parent 11, with the transaction that was in 12) · 15 · 17 …
   *
   * When the fork happened, ingest waited for the revert before it published 13. The replay does not wait.
   */
  it('do not stop the index when the fork is replayed after a restore', async () => {
    const PARTITIONS = 2;
    const keyOf = (partition: number) => ({ consumerGroup: 'projector', topic: 'slot-events', partition });
    const epochs = await Promise.all(
      [0, 1].map(async (partition) => (await store.claimPosition(keyOf(partition))).epoch),
    );
    const positions = [0n, 0n];
    /** Delivers the next records of a partition as one batch. */
    const deliver = async (partition: number, ...slots: SlotChange[]) => {
      const from = positions[partition];
      positions[partition] += BigInt(slots.length);
      const position = { ...keyOf(partition), epoch: epochs[partition], from, to: positions[partition] };
      return store.persistSlots({ slots, chainTip: null, position });
    };
    const landed = { created: [createdAccount(50, 5n, 80)] };
    const orphaned = slotWith(12, landed, { blockhash: testHash(112) });
    const again = slotWith(13, landed, frame(13, 11));
    const later = Array.from({ length: 86 }, (_, at) => slotWith(14 + at));

    await deliver(0, slotWith(10));
    await deliver(1, slotWith(11));
    // As restored: 10 and 11 are indexed. The replay:
    await deliver(0, orphaned);
    const ignored = reasons(await deliver(1, again));
    await deliver(0, { reverted: { slot: toSlot(12), blockhash: testHash(112) } });
    for (const update of later) await deliver(update.events.slot % PARTITIONS, update);
    const before = await indexedSlot();
    const repaired = await repair([slotWith(10), slotWith(11), again, ...later]);
    expect(await indexedSlot()).toBe(99);
    expect(repaired.missing.length > 0).toBe(before < 99);
    expect(ignored.length > 0).toBe(before < 99);
  });
});
