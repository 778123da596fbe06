import { sparseBlock } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { foldAccounts, type SlotEvents } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { consumedAccount, createdAccount, slotUpdate, testHash, testSignature } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import fc from 'fast-check';
import { ProjectionStore } from './projection-store';
import { type PersistedBatch, type SlotUpdate } from './slot-batch';

const RUNS = 3;

const toUpdate = async (events: SlotEvents): Promise<SlotUpdate> => ({
  events,
  facts: await foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch),
});

/** A slot whose node could not parse some of its transactions. */
async function lostTransactions({ events }: SlotUpdate, isLost: (id: Buffer) => boolean): Promise<SlotUpdate> {
  const transactions = events.transactions.filter(({ signature }) => !isLost(signature));
  return toUpdate({ ...events, transactions });
}

/** A slot whose node could not read some of the state trees. The transactions and what they consumed are known. */
async function lostTrees({ events }: SlotUpdate, isLost: (id: Buffer) => boolean): Promise<SlotUpdate> {
  return toUpdate({ ...events, trees: events.trees.filter(({ tree }) => !isLost(tree)) });
}

describe('a slot that is published again', () => {
  let database: TestDatabase;
  let clean: TestDatabase;
  beforeAll(async () => {
    [database, clean] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });
  afterEach(() => Promise.all([database.empty(), clean.empty()]));
  afterAll(() => Promise.all([database.drop(), clean.drop()]));

  const persist = (slots: SlotUpdate[], { dataSource } = database): Promise<PersistedBatch> =>
    new ProjectionStore(dataSource).persistSlots({ slots, chainTip: null, position: null });
  const digest = () => digestState(database.dataSource);
  const digestOf = async (...slots: SlotUpdate[]) => {
    await persist(slots, clean);
    return digestState(clean.dataSource);
  };
  const reasons = ({ ignored }: PersistedBatch) => ignored.map(({ update, reason }) => [update.events.slot, reason]);

  const first = slotUpdate(10, { created: [createdAccount(9, 7n, 70)] });
  const both = [createdAccount(1, 5n, 71), createdAccount(2, 6n, 72)];
  const complete = slotUpdate(11, { created: both, consumed: [consumedAccount(9, 72)] });
  const incomplete = slotUpdate(11, { created: both.slice(0, 1) });
  const spend = slotUpdate(12, { consumed: [consumedAccount(1, 73), consumedAccount(2, 73)] });

  it.each([
    ['before it is indexed', [incomplete, spend], [complete, first]],
    ['while it is the indexed slot', [first, incomplete], [complete, spend]],
    ['after an account that it lacked was spent', [first, incomplete, spend], [complete]],
    ['in the same batch', [], [first, incomplete, complete, incomplete, spend]],
    ['several times in one batch', [first, incomplete], [complete, complete, spend, complete]],
  ])('with more facts is completed, %s', async (_, before, after) => {
    if (before.length > 0) await persist(before);
    expect(reasons(await persist(after))).toEqual([]);
    expect(await digest()).toBe(await digestOf(first, complete, spend));
  });

  it('with fewer facts changes nothing', async () => {
    await persist([first, complete, spend]);
    const before = await digest();
    expect(reasons(await persist([incomplete]))).toEqual([]);
    expect(await digest()).toBe(before);
  });

  it('with more facts is ignored if it lacks some of the stored ones', async () => {
    const other = slotUpdate(11, { created: [createdAccount(3, 5n, 75)] });
    await persist([first, incomplete]);
    const before = await digest();
    expect(reasons(await persist([other]))).toEqual([[11, 'conflicting-facts']]);
    expect(await digest()).toBe(before);
  });

  it('loses its dead letters, with more facts and without', async () => {
    const deadLetter = (index: number) => ({ signature: null, index, reasons: ['the node lags'], json: '{}' });
    const query = `SELECT slot, block_index FROM dead_letters ORDER BY 1, 2`;
    const remaining = () => database.dataSource.query<object[]>(query);
    const lettersOf = (update: SlotUpdate, ...deadLetters: ReturnType<typeof deadLetter>[]) => ({
      ...update,
      events: { ...update.events, deadLetters },
    });
    await persist([lettersOf(first, deadLetter(1), deadLetter(2)), lettersOf(incomplete, deadLetter(3)), spend]);
    await persist([lettersOf(first, deadLetter(2))]);
    expect(await remaining()).toEqual([
      { slot: '10', block_index: 2 },
      { slot: '11', block_index: 3 },
    ]);
    await persist([first, complete]);
    expect(await remaining()).toEqual([]);
    expect(await digest()).toBe(await digestOf(first, complete, spend));
  });

  it('is completed also after its block was deleted', async () => {
    const over = { parentSlot: toSlot(12), parentBlockhash: testHash(12) };
    const far = slotUpdate(5_000, {}, { ...over, blockhash: testHash(0xfa) });
    await persist([first, incomplete, spend, far]);
    const blocks = await database.dataSource.query<{ slot: string }[]>(`SELECT slot FROM blocks`);
    expect(blocks).toEqual([{ slot: '5000' }]);
    await persist([incomplete]);
    expect(reasons(await persist([complete]))).toEqual([]);
    expect(await digest()).toBe(await digestOf(first, complete, spend, far));
  });

  it('is ignored after its block was deleted, if it states transactions and the chain had none', async () => {
    const signatures = [testSignature(9)];
    const far = slotUpdate(5_000, {}, { parentSlot: toSlot(11), parentBlockhash: testHash(11) });
    await persist([first, slotUpdate(11), far]);
    const before = await digest();
    const unknown = slotUpdate(11, complete.facts, { blockhash: testHash(99), signatures });
    expect(reasons(await persist([unknown, slotUpdate(9), slotUpdate(11, {}, { signatures })]))).toEqual([
      [11, 'not-on-branch'],
      [9, 'not-on-branch'],
    ]);
    expect(await digest()).toBe(before);
    expect(await database.dataSource.query(`SELECT slot FROM block_signatures`)).toEqual([]);
  });

  it.each([
    ['if it names a tree', complete],
    [
      'if it has a dead letter',
      {
        ...complete,
        events: {
          ...complete.events,
          trees: [],
          deadLetters: [{ signature: null, index: 3, reasons: ['the node lags'], json: '{}' }],
        },
      },
    ],
  ])('with more facts is known to change trees %s', async (_, complete) => {
    await persist([first, { ...incomplete, events: { ...incomplete.events, trees: [] } }]);
    const changing = () => database.dataSource.query(`SELECT slot FROM blocks WHERE changes_trees ORDER BY slot`);
    expect(await changing()).toEqual([{ slot: '10' }]);
    await persist([complete]);
    expect(await changing()).toEqual([{ slot: '10' }, { slot: '11' }]);
  });

  it.each([
    ['transactions', lostTransactions],
    ['trees', lostTrees],
  ])('with more facts leads to the same tables as if it had had them at once, after lost %s', async (_, lose) => {
    const runs = fc.record({
      seed: fc.nat(1_000_000),
      lost: fc.array(fc.nat(255), { minLength: 60, maxLength: 60 }),
      order: fc.array(fc.nat(1_000), { minLength: 12, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(runs, async ({ seed, lost, order }) => {
        await Promise.all([database.empty(), clean.empty()]);
        const weights = { transferTokens: 30, nullifyInputs: 15, appendOutputs: 20, migrateLeaves: 20 };
        const slots = readGeneratedSlots([
          ...generateLedger({ seed, slots: 12, transactionsPerSlot: 4, skippedShare: 0, weights }),
        ]);
        const updates = await Promise.all(slots.map(toUpdate));
        const isLost = (id: Buffer) => lost[id[0] % lost.length] % 2 === 0;
        await persist(await Promise.all(updates.map((update) => lose(update, isLost))));
        const ranked = updates.map((update, at) => ({ update, rank: order[at % order.length] }));
        for (const { update } of ranked.sort((a, b) => a.rank - b.rank)) await persist([update]);
        await persist(updates, clean);
        expect(await digest()).toBe(await digestState(clean.dataSource));
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  describe('of attested history', () => {
    const sparse = (slot: number, parent: number, facts: SlotUpdate['facts'], attestedFrom?: number) => {
      const [block, before] = [sparseBlock(toSlot(slot)), sparseBlock(toSlot(parent))];
      const links = { ...block, parentSlot: before.slot, parentBlockhash: before.blockhash, blockTime: 5 };
      const attested = attestedFrom && { from: toSlot(attestedFrom), source: 'one', transactions: 2 };
      return slotUpdate(slot, facts, { ...links, isFirst: slot === 10, ...(attested && { attested }) });
    };
    const start = sparse(10, 9, slotUpdate(10).facts);
    const withheld = sparse(13, 10, slotUpdate(13, { created: both.slice(0, 1) }).facts);
    const later = (parent: number) => sparse(20, parent, slotUpdate(20, { created: both.slice(1) }).facts, 11);

    it('is completed by a slot that the first source lacked', async () => {
      await persist([start, later(10)]);
      await persist([withheld]);
      // Its block is not stored: the index has passed it.
      const factsOf = (state: string) => state.split('\n').filter((line) => !line.startsWith('blocks '));
      expect(factsOf(await digest())).toEqual(factsOf(await digestOf(start, withheld, later(13))));
    });

    it('stores each attested range once', async () => {
      await persist([start, later(10)]);
      await persist([later(10)]);
      const ranges = await database.dataSource.query<object[]>(`SELECT * FROM attested_ranges`);
      expect(ranges).toEqual([{ from_slot: '11', to_slot: '20', source: 'one', transactions: '2' }]);
    });
  });
});
