import { connect } from '@fresnel/adapters/store-schema';
import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { foldAccounts } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase } from '@fresnel/testing/store';
import { type SlotUpdate } from './slot-batch';
import { ProjectionStore } from './projection-store';

const SLOTS = 400;
const BATCH = 100;
const TABLES = [
  'accounts',
  'spends',
  'owner_signatures',
  'token_owner_signatures',
  'token_holders',
  'transactions',
  'blocks',
];

export const bench: Bench = {
  title: 'Rows projected, from folded slots to committed rows',
  data: `${SLOTS} generated slots with 8 transactions each, an empty database each round, Postgres on the same machine`,
  unit: 'rows',
  prepare: async () => {
    const stop = await provideSharedServers();
    const pool = new WorkerPool({ threads: 2 });
    const blocks = [...generateLedger({ seed: 5, slots: SLOTS, transactionsPerSlot: 8 })];
    const updates: SlotUpdate[] = [];
    for (const events of readGeneratedSlots(blocks)) {
      const facts = await foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch);
      updates.push({ events, facts });
    }
    return {
      ways: [
        { name: `${BATCH} slots a transaction`, run: () => project(updates, BATCH, pool) },
        { name: 'one slot a transaction', run: () => project(updates, 1, pool) },
      ],
      close: async () => {
        await pool.close();
        await stop();
      },
    };
  },
};

async function project(
  updates: readonly SlotUpdate[],
  batch: number,
  { encodeJson }: WorkerPool,
): Promise<BenchMeasurement> {
  const database = await createTestDatabase();
  const dataSource = await connect({ url: database.url, poolSize: 2, applicationName: 'bench' });
  const store = new ProjectionStore(dataSource, undefined, encodeJson);
  const startedAt = performance.now();
  for (let at = 0; at < updates.length; at += batch) {
    const isFollowed = at + batch < updates.length;
    await store.persistSlots({ slots: updates.slice(at, at + batch), chainTip: null, position: null, isFollowed });
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table})`);
  const [{ count }] = await dataSource.query<{ count: string }[]>(`SELECT ${counts.join(' + ')} AS count`);
  await dataSource.destroy();
  await database.drop();
  return { count: Number(count), seconds };
}
