import { connect } from '@fresnel/adapters/store-schema';
import { foldAccounts } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProjectionStore } from './projection-store';
import { type SlotUpdate } from './slot-batch';

const WRITERS = 6;
const BATCH = 10;
const SAMPLE_MS = 100;
/**
 * If they wrote one after the other, 5 of 6 would wait. Short waits are right: for a common row, and while the indexed slot advances.
 */
const MAX_WAITING = 0.25;
const WEIGHTS = { transferTokens: 40, nullifyInputs: 20, migrateLeaves: 5 };
/** Transfers and nullifications: most accounts are spent in another slot, which another writer has. */
const LEDGER = { seed: 61, slots: 240, transactionsPerSlot: 4, weights: WEIGHTS };

describe('writers side by side', () => {
  let database: TestDatabase;
  let clean: TestDatabase;
  const updates: SlotUpdate[] = [];
  beforeAll(async () => {
    [database, clean] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    for (const events of readGeneratedSlots([...generateLedger(LEDGER)])) {
      const facts = await foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch);
      updates.push({ events, facts });
    }
  });
  afterAll(() => Promise.all([database.drop(), clean.drop()]));

  /** Writes every sixth slot. */
  async function write(writer: number, conflicts: string[]): Promise<void> {
    const dataSource = await connect({ url: database.url, poolSize: 1, applicationName: 'writer' });
    const store = new ProjectionStore(dataSource, (state) => conflicts.push(state));
    const own = updates.filter((_, at) => at % WRITERS === writer);
    for (let at = 0; at < own.length; at += BATCH) {
      await store.persistSlots({ slots: own.slice(at, at + BATCH), chainTip: null, position: null });
    }
    await dataSource.destroy();
  }

  /** @returns the share of samples in which a writer waited for a lock */
  async function sample(signal: AbortSignal): Promise<number> {
    const samples = { all: 0, waiting: 0 };
    while (!signal.aborted) {
      const rows = await database.dataSource.query<{ wait_event_type: string | null }[]>(
        `SELECT wait_event_type FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'writer'`,
      );
      samples.all += rows.length;
      samples.waiting += rows.filter(({ wait_event_type: type }) => type === 'Lock').length;
      await sleep(SAMPLE_MS);
    }
    return samples.waiting / samples.all;
  }

  it('do not deadlock, and store what one writer stores', async () => {
    const stop = new AbortController();
    const conflicts: string[] = [];
    const sampled = sample(stop.signal);
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, conflicts)));
    stop.abort();
    const waiting = await sampled;

    const [{ deadlocks }] = await database.dataSource.query<{ deadlocks: string }[]>(
      `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`,
    );
    expect([deadlocks, conflicts]).toEqual(['0', []]);
    expect(waiting).toBeLessThan(MAX_WAITING);
    const store = new ProjectionStore(clean.dataSource);
    for (const update of updates) await store.persistSlots({ slots: [update], chainTip: null, position: null });
    expect(await digestState(database.dataSource)).toBe(await digestState(clean.dataSource));
  });
});
