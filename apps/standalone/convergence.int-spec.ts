import { ProjectionStore, type SlotUpdate } from '@fresnel/adapters/store-write';
import { foldAccounts, type SlotEvents } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { byFaultForm } from '@fresnel/testing/generic';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { checkAgainstOracle, readGeneratedSlots } from '@fresnel/testing/ledger';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import fc from 'fast-check';

const SLOTS = 24;
const RUNS = byFaultForm({ short: 2, long: 20 });

/** Batches of indexes into the ledger: every slot at least once, some twice, in random order, in batches of random size. */
const deliveries = fc
  .tuple(
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: SLOTS * 2, maxLength: SLOTS * 2 }),
    fc.array(fc.boolean(), { minLength: SLOTS, maxLength: SLOTS }),
    fc.array(fc.integer({ min: 1, max: 7 }), { minLength: SLOTS * 2, maxLength: SLOTS * 2 }),
  )
  .map(([ranks, repeated, sizes]) => (count: number) => {
    const indexes = Array.from({ length: count }, (_, index) => (repeated[index] ? [index, index] : [index])).flat();
    const shuffled = indexes.map((index, at) => ({ index, rank: ranks[at] })).sort((a, b) => a.rank - b.rank);
    const batches: number[][] = [];
    while (shuffled.length > 0) {
      batches.push(shuffled.splice(0, sizes[batches.length]).map(({ index }) => index));
    }
    return batches;
  });

async function toUpdate(events: SlotEvents): Promise<SlotUpdate> {
  return { events, facts: await foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch) };
}

describe('the tables', () => {
  let inOrder: TestDatabase;
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    [inOrder, database] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all([inOrder.drop(), database.drop()]);
  });

  it('reach the same state, and give the answers of the oracle, for any order, batches and repetitions of slots', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1_000_000 }), deliveries, async (seed, toBatches) => {
        const blocks = [...generateLedger({ seed, slots: SLOTS, weights: { migrateLeaves: 4 } })];
        const updates = await Promise.all(readGeneratedSlots(blocks).map(toUpdate));
        await Promise.all([inOrder.empty(), database.empty()]);
        const store = new ProjectionStore(inOrder.dataSource);
        for (const update of updates) await store.persistSlots({ slots: [update], chainTip: null, position: null });
        const oracle = new LedgerOracle();
        for (const block of blocks) oracle.apply(block);
        await deliver(new ProjectionStore(database.dataSource), toBatches(updates.length), updates);
        expect(await digestState(database.dataSource)).toBe(await digestState(inOrder.dataSource));
        const { differences } = await checkAgainstOracle(gateway.url, oracle, { proofs: false });
        expect(differences).toEqual([]);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

/** Two concurrent writers share the batches. */
async function deliver(
  store: ProjectionStore,
  batches: readonly number[][],
  updates: readonly SlotUpdate[],
): Promise<void> {
  const remaining = [...batches];
  const write = async () => {
    for (let batch = remaining.shift(); batch; batch = remaining.shift()) {
      await store.persistSlots({ slots: batch.map((index) => updates[index]), chainTip: null, position: null });
    }
  };
  await Promise.all([write(), write()]);
}
