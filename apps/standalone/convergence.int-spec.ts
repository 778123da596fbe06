import { ProjectionStore, type SlotUpdate } from '@fresnel/adapters/store-write';
import { foldAccounts, type SlotEvents } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { startTestGateway } from '@fresnel/testing/gateway';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { checkAgainstOracle, readGeneratedSlots } from '@fresnel/testing/ledger';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import fc from 'fast-check';

const SLOTS = 24;
const RUNS = 12;

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

async function withDatabase<Result>(run: (database: TestDatabase) => Promise<Result>): Promise<Result> {
  const database = await createTestDatabase();
  try {
    return await run(database);
  } finally {
    await database.drop();
  }
}

describe('the tables', () => {
  it('reach the same state, and give the answers of the oracle, for any order, batches and repetitions of slots', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1_000_000 }), deliveries, async (seed, toBatches) => {
        const blocks = [...generateLedger({ seed, slots: SLOTS })];
        const updates = await Promise.all(readGeneratedSlots(blocks).map(toUpdate));
        const inOrder = await withDatabase(async ({ dataSource }) => {
          const store = new ProjectionStore(dataSource);
          for (const update of updates) await store.persistSlots({ slots: [update], chainTip: null, position: null });
          return digestState(dataSource);
        });
        const oracle = new LedgerOracle();
        for (const block of blocks) oracle.apply(block);
        await withDatabase(async ({ dataSource, url }) => {
          await deliver(new ProjectionStore(dataSource), toBatches(updates.length), updates);
          expect(await digestState(dataSource)).toBe(inOrder);
          const gateway = await startTestGateway({ databaseUrl: url });
          const { questions, differences } = await checkAgainstOracle(gateway.url, oracle, { proofs: false });
          await gateway.close();
          expect(differences).toEqual([]);
          expect(questions).toBeGreaterThan(updates.length);
        });
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 600_000);
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
