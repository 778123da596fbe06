import { ProjectionStore, type SlotUpdate } from '@fresnel/adapters/store-write';
import { foldAccounts } from '@fresnel/domain/state';
import { type GeneratedBlock, GENERATED_PROGRAMS, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { byFaultForm } from '@fresnel/testing/generic';
import { checkAgainstOracle, readGeneratedSlots } from '@fresnel/testing/ledger';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import fc from 'fast-check';

const SLOTS = 24;
const RUNS = byFaultForm({ short: 1, long: 20 });
/** How far a slot arrives before or after its turn. */
const DISORDER = 12;

function oracleOf(blocks: readonly GeneratedBlock[]): LedgerOracle {
  const oracle = new LedgerOracle();
  for (const block of blocks) oracle.apply(block);
  return oracle;
}

const deliveries = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  delays: fc.array(fc.nat(DISORDER), { minLength: 2 * SLOTS, maxLength: 2 * SLOTS }),
  sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2 * SLOTS, maxLength: 2 * SLOTS }),
});

describe('every answer', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  it('is true at its own slot, for any order of slots', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries, async ({ seed, delays, sizes }) => {
        const blocks = [...generateLedger({ seed, slots: SLOTS, weights: { migrateLeaves: 4 } })];
        const all = oracleOf(blocks);
        const updates: SlotUpdate[] = [];
        for (const events of readGeneratedSlots(blocks)) {
          const facts = await foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch);
          updates.push({ events, facts });
        }
        const order = updates
          .map((update, at) => ({ update, at: at + delays[at] }))
          .sort((one, other) => one.at - other.at);
        await database.empty();
        const store = new ProjectionStore(database.dataSource);
        let indexedSlot: number | null = null;
        for (let batch = 0; order.length > 0; batch++) {
          const slots = order.splice(0, sizes[batch]).map(({ update }) => update);
          const written = await store.persistSlots({ slots, chainTip: null, position: null });
          indexedSlot = written.indexedSlot ?? indexedSlot;
          if (indexedSlot === null) continue;
          const asOf = indexedSlot;
          const oracle = oracleOf(blocks.filter(({ slot }) => slot <= asOf));
          const { differences } = await checkAgainstOracle(gateway.url, oracle, {
            proofs: false,
            subjects: all,
          });
          expect(differences).toEqual([]);
        }
        expect(indexedSlot).toBe(blocks[blocks.length - 1].slot);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
