import { connect } from '@fresnel/adapters/store-schema';
import { foldAccounts } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { type Bench, TcpLink } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { provideSharedServers } from '@fresnel/testing/servers';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { createTestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotUpdate } from './slot-batch';

const SLOTS = 480;
const BATCH = 4;
const DELAY_MS = 10;

export const bench: Bench = {
  title: 'Slots projected side by side, with a distant database',
  data: `${SLOTS} generated slots with 2 transactions each, ${BATCH} a batch, every statement ${DELAY_MS} ms away from Postgres`,
  unit: 'slots',
  prepare: async () => {
    const stop = await provideSharedServers();
    const updates: SlotUpdate[] = [];
    for (const events of readGeneratedSlots([...generateLedger({ seed: 5, slots: SLOTS, transactionsPerSlot: 2 })])) {
      const facts = await foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch);
      updates.push({ events, facts });
    }
    return {
      ways: [3, 2, 1].map((writers) => ({
        name: `${writers} projector${writers > 1 ? 's' : ''}`,
        run: () => project(updates, writers),
      })),
      close: stop,
    };
  },
};

/** Each writer has its own connection, and every so many slots. */
async function project(updates: readonly SlotUpdate[], writers: number): Promise<{ count: number; seconds: number }> {
  const database = await createTestDatabase();
  const link = await TcpLink.to(database.url, DELAY_MS);
  const dataSources = await Promise.all(
    Array.from({ length: writers }, () => connect({ url: link.url, poolSize: 1, applicationName: 'bench' })),
  );
  const startedAt = performance.now();
  await Promise.all(
    dataSources.map(async (dataSource, writer) => {
      const store = new ProjectionStore(dataSource);
      const own = updates.filter((_, at) => Math.floor(at / BATCH) % writers === writer);
      for (let at = 0; at < own.length; at += BATCH) {
        await store.persistSlots({ slots: own.slice(at, at + BATCH), chainTip: null, position: null });
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  for (const dataSource of dataSources) await dataSource.destroy();
  await link.cut();
  await database.drop();
  return { count: updates.length, seconds };
}
