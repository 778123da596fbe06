import { foldAccounts, type SlotEvents } from '@fresnel/domain/state';
import { poseidon } from '@fresnel/domain/poseidon';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { type Fork, forkSlots } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import fc from 'fast-check';
import { ProjectionStore } from './projection-store';
import { type PersistedBatch, type SlotChange, type SlotRevert, type SlotUpdate } from './slot-batch';

const MAX_DEPTH = 31;
const TRUNK = 6;
const RUNS = 12;
/** Batches of V2 trees are rare otherwise. */
const WEIGHTS = { appendOutputs: 20, nullifyInputs: 15, transferTokens: 30, truncatedInstruction: 2 };

const generate = (seed: number, slots: number) =>
  readGeneratedSlots([...generateLedger({ seed, slots, transactionsPerSlot: 3, skippedShare: 0, weights: WEIGHTS })]);
const strangersOf = (seed: number) => generate(seed, 5).flatMap(({ transactions }) => transactions);
const toUpdate = (events: SlotEvents): SlotUpdate => ({
  events,
  facts: foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidon),
});
const toRevert = ({ slot, blockhash }: SlotEvents): SlotRevert => ({ reverted: { slot, blockhash } });

/** What a partition holds of a branch that comes and goes: each slot, and behind it its revert, the newest first. */
function toPartitions(abandoned: readonly SlotEvents[], count: number): SlotChange[][] {
  return Array.from({ length: count }, (_, partition) => {
    const own = abandoned.filter(({ slot }) => slot % count === partition);
    return [...own.map(toUpdate), ...own.toReversed().map(toRevert)];
  });
}

/** Mixes partitions, each of which keeps its order, and cuts the mix into batches; every pick says where to go on. */
function mix(partitions: readonly SlotChange[][], picks: readonly number[]): SlotChange[][] {
  const left = partitions.map((changes) => [...changes]);
  const batches: SlotChange[][] = [];
  for (let at = 0; left.some((changes) => changes.length > 0); at++) {
    const pick = picks[at % picks.length];
    const filled = left.filter((changes) => changes.length > 0);
    batches.push(filled[pick % filled.length].splice(0, 1 + (pick % 5)));
  }
  return batches;
}

/** Where each update goes by its own key: a place among them. */
function shuffle(slots: readonly SlotEvents[], picks: readonly number[]): SlotChange[][] {
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

  const persist = ({ dataSource }: TestDatabase, slots: readonly SlotChange[]): Promise<PersistedBatch> =>
    new ProjectionStore(dataSource).persistSlots({ slots, chainTip: null, position: null });
  const digest = ({ dataSource }: TestDatabase) => digestState(dataSource);
  const empty = async ({ dataSource }: TestDatabase) => {
    await dataSource.query(`
      TRUNCATE accounts, orphaned_blocks, blocks, owner_signatures, token_owner_signatures, token_holders,
        transactions, dead_letters, trees, tree_appends`);
    await dataSource.query(`UPDATE indexer_state SET first_slot = NULL, indexed_slot = NULL`);
  };
  /** The contents of tables that received only these slots. */
  const digestOf = async (slots: readonly SlotEvents[]) => {
    await empty(clean);
    await persist(clean, slots.map(toUpdate));
    return digest(clean);
  };

  it(`of every depth to ${MAX_DEPTH} leave what the trunk makes`, async () => {
    await empty(database);
    const slots = generate(21, TRUNK + MAX_DEPTH);
    const trunk = slots.slice(0, TRUNK);
    const expected = await digestOf(trunk);
    for (let depth = 1; depth <= MAX_DEPTH; depth++) {
      const { orphaned: abandoned } = forkSlots(slots.slice(0, TRUNK + depth), depth, [], `${depth}`);
      await persist(database, [...trunk, ...abandoned].map(toUpdate));
      await persist(database, abandoned.toReversed().map(toRevert));
      expect([depth, await digest(database)]).toEqual([depth, expected]);
    }
    const { canonical: kept } = forkSlots(slots, MAX_DEPTH, strangersOf(22), 'kept');
    await persist(database, kept.map(toUpdate));
    expect(await digest(database)).toBe(await digestOf([...trunk, ...kept]));
  }, 120_000);

  const forks = fc.record({
    seed: fc.integer({ min: 0, max: 1_000_000 }),
    depth: fc.integer({ min: 1, max: MAX_DEPTH }),
    partitionCount: fc.integer({ min: 1, max: 4 }),
    picks: fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }),
    stopAt: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const forkOf = (seed: number, depth: number): Fork =>
    forkSlots(generate(seed, TRUNK + depth), depth, strangersOf(seed + 1), `${seed}`);

  /** Tells slots and reverts, and answers which slots stand. */
  async function tell(batches: readonly SlotChange[][], standing: Set<SlotEvents>): Promise<void> {
    for (const batch of batches) {
      const { ignored } = await persist(database, batch);
      for (const change of batch) if ('events' in change) standing.add(change.events);
      for (const { update } of ignored) standing.delete(update.events);
      const gone = batch.flatMap((change) => ('reverted' in change ? [change.reverted.slot] : []));
      for (const events of standing) if (gone.includes(events.slot)) standing.delete(events);
    }
  }

  it('end in the same tables whatever order slots and reverts come in across partitions', async () => {
    await fc.assert(
      fc.asyncProperty(forks, async ({ seed, depth, partitionCount, picks, stopAt }) => {
        const { shared: trunk, orphaned: abandoned, canonical: kept } = forkOf(seed, depth);
        await empty(database);
        await persist(database, trunk.map(toUpdate));
        const batches = mix(toPartitions(abandoned, partitionCount), picks);
        const half = Math.floor(batches.length * stopAt);
        const standing = new Set<SlotEvents>();

        await tell(batches.slice(0, half), standing);
        expect(await digest(database)).toBe(await digestOf([...trunk, ...standing]));

        await tell(batches.slice(half), standing);
        const onTrunk = await digestOf(trunk);
        expect(await digest(database)).toBe(onTrunk);

        const late = await persist(database, [...abandoned.map(toRevert), ...abandoned.map(toUpdate)]);
        expect(late.ignored.map(({ reason }) => reason)).toEqual(abandoned.map(() => 'orphaned'));
        expect(await digest(database)).toBe(onTrunk);

        for (const batch of shuffle(kept, picks)) expect((await persist(database, batch)).ignored).toEqual([]);
        expect(await digest(database)).toBe(await digestOf([...trunk, ...kept]));
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 240_000);

  it('end in the same tables when every partition has a writer of its own', async () => {
    await fc.assert(
      fc.asyncProperty(forks, async ({ seed, depth, partitionCount, picks }) => {
        const { shared: trunk, orphaned: abandoned, canonical: kept } = forkOf(seed, depth);
        await empty(database);
        await persist(database, trunk.map(toUpdate));
        const writeAll = (partitions: SlotChange[][]) =>
          Promise.all(
            partitions.map(async (changes) => {
              for (const batch of mix([changes], picks)) await persist(database, batch);
            }),
          );
        await writeAll(toPartitions(abandoned, partitionCount + 1));
        expect(await digest(database)).toBe(await digestOf(trunk));
        await writeAll(
          [kept.filter((_, at) => at % 2 === 1), kept.filter((_, at) => at % 2 === 0)].map((own) => own.map(toUpdate)),
        );
        expect(await digest(database)).toBe(await digestOf([...trunk, ...kept]));
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 240_000);
});
