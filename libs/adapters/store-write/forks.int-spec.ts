import { foldAccounts, type SlotEvents } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { byFaultForm } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { type Fork, forkSlots } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import fc from 'fast-check';
import { ProjectionStore } from './projection-store';
import { type PersistedBatch, type SlotChange, type SlotRevert, type SlotUpdate } from './slot-batch';

const MAX_DEPTH = 31;
const TRUNK = 6;
const RUNS = byFaultForm({ short: 2, long: 20 });
/** The default weights rarely generate batches of V2 trees, and no migrated leaves. */
const WEIGHTS = {
  appendOutputs: 20,
  nullifyInputs: 15,
  transferTokens: 30,
  truncatedInstruction: 2,
  migrateLeaves: 20,
};

const generate = (seed: number, slots: number) =>
  readGeneratedSlots([...generateLedger({ seed, slots, transactionsPerSlot: 3, skippedShare: 0, weights: WEIGHTS })]);
const newTransactionsOf = (seed: number) => generate(seed, 5).flatMap(({ transactions }) => transactions);

/** A change whose facts may not be folded yet. */
type PendingChange = Promise<SlotUpdate | SlotRevert>;

const toUpdate = async (events: SlotEvents): Promise<SlotUpdate> => ({
  events,
  facts: await foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch),
});
const toRevert = ({ slot, blockhash }: SlotEvents): Promise<SlotRevert> =>
  Promise.resolve({ reverted: { slot, blockhash } });

/** The records of an orphaned branch in each partition: its slots, then their reverts, newest first. */
function toPartitions(orphaned: readonly SlotEvents[], count: number): PendingChange[][] {
  return Array.from({ length: count }, (_, partition) => {
    const own = orphaned.filter(({ slot }) => slot % count === partition);
    return [...own.map(toUpdate), ...own.toReversed().map(toRevert)];
  });
}

/**
 * Interleaves partitions into batches; each partition keeps its order. A pick selects the partition of the next batch.
 */
function mix(partitions: readonly PendingChange[][], picks: readonly number[]): PendingChange[][] {
  const remaining = partitions.map((changes) => [...changes]);
  const batches: PendingChange[][] = [];
  for (let at = 0; remaining.some((changes) => changes.length > 0); at++) {
    const pick = picks[at % picks.length];
    const filled = remaining.filter((changes) => changes.length > 0);
    batches.push(filled[pick % filled.length].splice(0, 1 + (pick % 5)));
  }
  return batches;
}

/** Batches of updates in an order that is determined by `picks`. */
function shuffle(slots: readonly SlotEvents[], picks: readonly number[]): PendingChange[][] {
  const ranked = slots.map((events, at) => ({ events, rank: picks[(at * 7) % picks.length] }));
  const order = ranked.sort((one, other) => one.rank - other.rank).map(({ events }) => toUpdate(events));
  return mix([order], picks);
}

describe('forks', () => {
  let database: TestDatabase;
  let clean: TestDatabase;
  beforeAll(async () => {
    [database, clean] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });
  afterAll(() => Promise.all([database.drop(), clean.drop()]));

  const persist = async ({ dataSource }: TestDatabase, changes: readonly PendingChange[]): Promise<PersistedBatch> => {
    const slots = await Promise.all(changes);
    return new ProjectionStore(dataSource).persistSlots({ slots, chainTip: null, position: null });
  };
  const digest = ({ dataSource }: TestDatabase) => digestState(dataSource);
  /** The contents of tables that received only these slots. */
  const digestOf = async (slots: readonly SlotEvents[]) => {
    await clean.empty();
    await persist(clean, slots.map(toUpdate));
    return digest(clean);
  };

  it(`of every depth up to ${MAX_DEPTH} leave the tables of the trunk`, async () => {
    await database.empty();
    const slots = generate(21, TRUNK + MAX_DEPTH);
    const trunk = slots.slice(0, TRUNK);
    const expected = await digestOf(trunk);
    for (let depth = 1; depth <= MAX_DEPTH; depth++) {
      const { orphaned } = forkSlots(slots.slice(0, TRUNK + depth), depth, [], `${depth}`);
      await persist(database, [...trunk, ...orphaned].map(toUpdate));
      await persist(database, orphaned.toReversed().map(toRevert));
      expect([depth, await digest(database)]).toEqual([depth, expected]);
    }
    const { canonical } = forkSlots(slots, MAX_DEPTH, newTransactionsOf(22), 'canonical');
    await persist(database, canonical.map(toUpdate));
    expect(await digest(database)).toBe(await digestOf([...trunk, ...canonical]));
  });

  const forks = fc.record({
    seed: fc.integer({ min: 0, max: 1_000_000 }),
    depth: fc.integer({ min: 1, max: MAX_DEPTH }),
    partitionCount: fc.integer({ min: 1, max: 4 }),
    picks: fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }),
    stopAt: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const forkOf = (seed: number, depth: number): Fork =>
    forkSlots(generate(seed, TRUNK + depth), depth, newTransactionsOf(seed + 1), `${seed}`);

  /** Persists batches and updates the set of applied slots that were not reverted. */
  async function persistAll(batches: readonly PendingChange[][], applied: Set<SlotEvents>): Promise<void> {
    for (const batch of batches) {
      const { ignored } = await persist(database, batch);
      const changes: SlotChange[] = await Promise.all(batch);
      for (const change of changes) if ('events' in change) applied.add(change.events);
      for (const { update } of ignored) applied.delete(update.events);
      const reverted = changes.flatMap((change) => ('reverted' in change ? [change.reverted.slot] : []));
      for (const events of applied) if (reverted.includes(events.slot)) applied.delete(events);
    }
  }

  it('lead to the same tables for any order of slots and reverts across partitions', async () => {
    await fc.assert(
      fc.asyncProperty(forks, async ({ seed, depth, partitionCount, picks, stopAt }) => {
        const { shared: trunk, orphaned, canonical } = forkOf(seed, depth);
        await database.empty();
        await persist(database, trunk.map(toUpdate));
        const batches = mix(toPartitions(orphaned, partitionCount), picks);
        const half = Math.floor(batches.length * stopAt);
        const applied = new Set<SlotEvents>();

        await persistAll(batches.slice(0, half), applied);
        expect(await digest(database)).toBe(await digestOf([...trunk, ...applied]));

        await persistAll(batches.slice(half), applied);
        const onTrunk = await digestOf(trunk);
        expect(await digest(database)).toBe(onTrunk);

        const late = await persist(database, [...orphaned.map(toRevert), ...orphaned.map(toUpdate)]);
        expect(late.ignored.map(({ reason }) => reason)).toEqual(orphaned.map(() => 'orphaned'));
        expect(await digest(database)).toBe(onTrunk);

        for (const batch of shuffle(canonical, picks)) expect((await persist(database, batch)).ignored).toEqual([]);
        expect(await digest(database)).toBe(await digestOf([...trunk, ...canonical]));
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('lead to the same tables if every partition has its own writer', async () => {
    await fc.assert(
      fc.asyncProperty(forks, async ({ seed, depth, partitionCount, picks }) => {
        const { shared: trunk, orphaned, canonical } = forkOf(seed, depth);
        await database.empty();
        await persist(database, trunk.map(toUpdate));
        const writeAll = (partitions: PendingChange[][]) =>
          Promise.all(
            partitions.map(async (changes) => {
              for (const batch of mix([changes], picks)) await persist(database, batch);
            }),
          );
        await writeAll(toPartitions(orphaned, partitionCount + 1));
        expect(await digest(database)).toBe(await digestOf(trunk));
        await writeAll(
          [canonical.filter((_, at) => at % 2 === 1), canonical.filter((_, at) => at % 2 === 0)].map((own) =>
            own.map(toUpdate),
          ),
        );
        expect(await digest(database)).toBe(await digestOf([...trunk, ...canonical]));
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
