import { connect } from '@fresnel/adapters/store-schema';
import { foldAccounts } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { eventually, TcpLink } from '@fresnel/testing/generic';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotUpdate } from './slot-batch';

const WRITERS = 6;
const BATCH = 10;
const WEIGHTS = { transferTokens: 40, nullifyInputs: 20, migrateLeaves: 5 };
/** Transfers and nullifications: most accounts are spent in another slot, which another writer has. */
const LEDGER = { seed: 61, slots: 240, transactionsPerSlot: 4, weights: WEIGHTS };

describe('writers side by side', () => {
  const databases: TestDatabase[] = [];
  const updates: SlotUpdate[] = [];
  /** The tables after one writer has written all slots, one by one. */
  let clean: string;
  beforeAll(async () => {
    for (const events of readGeneratedSlots([...generateLedger(LEDGER)])) {
      const facts = await foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch);
      updates.push({ events, facts });
    }
    const { dataSource } = await openDatabase();
    const store = new ProjectionStore(dataSource);
    for (const update of updates) await store.persistSlots({ slots: [update], chainTip: null, position: null });
    clean = await digestState(dataSource);
  });
  afterAll(() => Promise.all(databases.map((database) => database.drop())));

  async function openDatabase(): Promise<TestDatabase> {
    const database = await createTestDatabase();
    databases.push(database);
    return database;
  }

  /** Writes slots by a connection of its own, a batch after the other. */
  async function write(url: string, slots: readonly SlotUpdate[], conflicts: string[] = []): Promise<void> {
    const dataSource = await connect({ url, poolSize: 1, applicationName: 'writer' });
    const store = new ProjectionStore(dataSource, (state) => conflicts.push(state));
    for (let at = 0; at < slots.length; at += BATCH) {
      await store.persistSlots({ slots: slots.slice(at, at + BATCH), chainTip: null, position: null });
    }
    await dataSource.destroy();
  }

  /** The slots of each of some writers, which take turns. */
  const share = (slots: readonly SlotUpdate[], writers: number) =>
    Array.from({ length: writers }, (_, writer) => slots.filter((_, at) => at % writers === writer));

  it('do not deadlock, and store what one writer stores', async () => {
    const { url, dataSource } = await openDatabase();
    const conflicts: string[] = [];
    await Promise.all(share(updates, WRITERS).map((slots) => write(url, slots, conflicts)));
    const [{ deadlocks }] = await dataSource.query<{ deadlocks: string }[]>(
      `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`,
    );
    expect([deadlocks, conflicts]).toEqual(['0', []]);
    expect(await digestState(dataSource)).toBe(clean);
  });

  it('do not wait for a transaction of another one, apart from the one that has the first slot', async () => {
    const { url, dataSource } = await openDatabase();
    const [ones, others] = share(updates.slice(1), 2);
    await write(url, updates.slice(0, 1));
    const link = await TcpLink.to(url);
    link.pauseAt(/COMMIT/);
    const paused = write(link.url, ones.slice(0, BATCH));
    await eventually('one has written its slots', () => link.pausedConnections > 0);
    await write(url, others);
    // The server ends a transaction that waits for longer than others may.
    link.resume();
    await paused;
    await write(url, ones.slice(BATCH));
    expect(await digestState(dataSource)).toBe(clean);
    await link.cut();
  });
});
