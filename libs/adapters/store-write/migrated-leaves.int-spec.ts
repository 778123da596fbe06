import { type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { type AccountFacts, type CreatedAccount, type MigratedLeaf, type SlotEvents } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { consumedAccount, createdAccount, slotUpdate, TEST_STATE_TREE, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotChange, type SlotRevert, type SlotUpdate } from './slot-batch';

const V2 = TEST_STATE_TREE;
const V1: TreeInfo = {
  ...V2,
  tree: Buffer.alloc(32, 3) as Pubkey,
  queue: Buffer.alloc(32, 4) as Pubkey,
  type: 'stateV1',
};

/** Account `seed` in the V1 tree. */
const inV1 = (seed: number, by: number): CreatedAccount => ({
  ...createdAccount(seed, 5n, by),
  tree: V1.tree,
  leafIndex: 1_000 + seed,
  seq: BigInt(seed),
});
/** An account at a leaf index of the V2 tree, with this seed. */
const output = (leafIndex: number, by: number) => createdAccount(leafIndex, 1n, by);
const migrated = (seed: number, place = 0, leafIndex: number | null = null): MigratedLeaf => ({
  hash: testHash(seed),
  tree: V2.tree,
  place,
  leafIndex,
});
const slot = (number: number, facts: Partial<AccountFacts> = {}, frame: Partial<SlotEvents> = {}): SlotUpdate =>
  slotUpdate(number, facts, { trees: [V1, V2], ...frame });
const revert = (number: number): SlotRevert => ({ reverted: { slot: toSlot(number), blockhash: testHash(number) } });

/** Accounts 201 to 205 of the V1 tree, and leaves 0 and 1 of the V2 tree. */
const FIRST = slot(10, {
  created: [...[201, 202, 203, 204, 205].map((seed) => inV1(seed, 70)), output(0, 70), output(1, 70)],
});

describe('an account whose leaf migrates', () => {
  let database: TestDatabase;
  let clean: TestDatabase;
  beforeAll(async () => {
    [database, clean] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });
  afterEach(() => Promise.all([database.empty(), clean.empty()]));
  afterAll(() => Promise.all([database.drop(), clean.drop()]));

  const persistIn = ({ dataSource }: TestDatabase, slots: readonly SlotChange[]) =>
    new ProjectionStore(dataSource).persistSlots({ slots, chainTip: null, position: null });
  const persist = (...slots: SlotChange[]) => persistIn(database, slots);
  const digest = () => digestState(database.dataSource);
  /** The contents of tables that received only these slots, in this order. */
  const digestOf = async (...slots: SlotChange[]) => {
    await clean.empty();
    for (const change of slots) await persistIn(clean, [change]);
    return digestState(clean.dataSource);
  };

  interface Place {
    tree: Buffer;
    leaf_index: string;
    seq: string | null;
    listed: string | null;
  }
  /** Version of the tree, leaf index, leaf index in the lists, and sequence number. */
  async function placeOf(seed: number) {
    const [found] = await database.dataSource.query<Place[]>(
      `SELECT t.tree, a.leaf_index, a.seq, u.leaf_index AS listed FROM accounts a JOIN trees t ON t.id = a.tree_id
       LEFT JOIN unspent_accounts u ON u.hash = a.hash WHERE a.hash = $1`,
      [testHash(seed)],
    );
    const version = found.tree.equals(V2.tree) ? 2 : 1;
    return [version, Number(found.leaf_index), found.listed && Number(found.listed), found.seq && Number(found.seq)];
  }
  const atV2 = (leafIndex: number) => [2, leafIndex, leafIndex, null];
  const atV1 = (seed: number) => [1, 1_000 + seed, 1_000 + seed, seed];
  const queueEnds = async () =>
    (
      await database.dataSource.query<{ slot: string; next_leaf_index: string }[]>(
        `SELECT slot, next_leaf_index FROM output_queue_ends ORDER BY slot`,
      )
    ).map((row) => [Number(row.slot), Number(row.next_leaf_index)]);

  it('moves to the leaf index that the outputs of the slot imply', async () => {
    const both = slot(11, { created: [output(3, 71)], migrated: [migrated(201, 0, 2), migrated(202, 1, 4)] });
    await persist(FIRST, both);
    expect([await placeOf(201), await placeOf(202), await placeOf(203)]).toEqual([atV2(2), atV2(4), atV1(203)]);
    expect(await queueEnds()).toEqual([
      [10, 2],
      [11, 5],
    ]);
  });

  /** Slots 11 and 12 have no outputs. Those of 13 end at leaf 7. */
  const COUNTED = [
    slot(11, { migrated: [migrated(201), migrated(202, 1)] }),
    slot(12, { migrated: [migrated(203)] }),
    slot(13, { created: [output(5, 73), output(6, 73)] }),
    slot(14, { migrated: [migrated(204)] }),
    slot(15),
    slot(16, { migrated: [migrated(205)] }),
  ];

  it('follows the last leaf of older slots, if its slot has no output', async () => {
    await persist(FIRST, ...COUNTED);
    const places = await Promise.all([201, 202, 203, 204, 205].map(placeOf));
    expect(places).toEqual([2, 3, 4, 7, 8].map(atV2));
  });

  it.each([
    ['one by one', [[0], [1], [2], [3], [4], [5], [6]]],
    ['newest first', [[6], [5], [4], [3], [2], [1], [0]]],
    [
      'in two batches, the later one first',
      [
        [3, 5, 6, 4],
        [2, 0, 1],
      ],
    ],
    ['twice', [[6, 2], [0, 1, 2], [6, 5, 3], [4, 3, 1], [0]]],
  ])('has the same place if the slots arrive %s', async (_, batches) => {
    const all = [FIRST, ...COUNTED];
    for (const batch of batches) await persist(...batch.map((at) => all[at]));
    expect(await digest()).toBe(await digestOf(...all));
  });

  it('has the same place if two writers have every second slot', async () => {
    const all = [FIRST, ...COUNTED];
    const write = async (own: SlotUpdate[]) => {
      for (const update of own) await persist(update);
    };
    await Promise.all([
      write(all.filter((__, at) => at % 2 === 0).toReversed()),
      write(all.filter((__, at) => at % 2 === 1)),
    ]);
    expect(await digest()).toBe(await digestOf(...all));
  });

  it('does not move before the slot is indexed', async () => {
    const [first, ...rest] = COUNTED;
    await persist(FIRST, ...rest);
    expect(await placeOf(203)).toEqual(atV1(203));
    await persist(first);
    expect(await placeOf(203)).toEqual(atV2(4));
  });

  it('may be created in the same slot, and by the same transaction', async () => {
    await persist(FIRST, slot(11, { created: [inV1(206, 71)], migrated: [migrated(206)] }));
    expect(await placeOf(206)).toEqual(atV2(2));
  });

  it('is counted if it is unknown, and moves once it is known', async () => {
    const lacking = slot(10, { created: FIRST.facts.created.filter(({ hash }) => hash[0] !== 201) });
    await persist(lacking, ...COUNTED);
    expect(await placeOf(202)).toEqual(atV2(3));
    await persist(FIRST);
    expect(await placeOf(201)).toEqual(atV2(2));
    expect(await digest()).toBe(await digestOf(FIRST, ...COUNTED));
  });

  it('is spent by its hash', async () => {
    const spend = slot(17, { consumed: [consumedAccount(201, 77), consumedAccount(205, 77)] });
    await persist(FIRST, ...COUNTED, spend);
    expect(await placeOf(201)).toEqual([2, 2, null, null]);
    expect(await digest()).toBe(await digestOf(FIRST, ...COUNTED, spend));
    await persist(revert(17));
    expect(await placeOf(201)).toEqual(atV2(2));
    await persist(revert(16));
    expect(await placeOf(205)).toEqual(atV1(205));
    expect(await digest()).toBe(await digestOf(FIRST, ...COUNTED.slice(0, -1), revert(17), revert(16)));
  });

  describe('on a branch that is orphaned', () => {
    const BRANCH = { blockhash: testHash(112), parentBlockhash: testHash(11) };

    it('is at its old place again', async () => {
      await persist(FIRST, ...COUNTED);
      for (const number of [16, 15, 14, 13, 12]) await persist(revert(number));
      expect(await Promise.all([201, 203, 204].map(placeOf))).toEqual([atV2(2), atV1(203), atV1(204)]);
      expect(await digest()).toBe(await digestOf(FIRST, COUNTED[0]));
    });

    it('has the place that follows from the new branch', async () => {
      await persist(FIRST, COUNTED[0], slot(12, { created: [output(4, 72)] }), slot(13, { migrated: [migrated(203)] }));
      expect(await placeOf(203)).toEqual(atV2(5));
      const shorter = [
        slot(12, {}, BRANCH),
        slot(13, { migrated: [migrated(203)] }, { blockhash: testHash(113), parentBlockhash: testHash(112) }),
      ];
      await persist(revert(13), revert(12), ...shorter);
      expect(await placeOf(203)).toEqual(atV2(4));
      expect(await digest()).toBe(await digestOf(FIRST, COUNTED[0], ...shorter));
    });

    it('is created and migrated again', async () => {
      const facts = { created: [inV1(206, 72)], migrated: [migrated(206)] };
      await persist(FIRST, COUNTED[0], slot(12, facts), revert(12), slot(12, facts, BRANCH));
      expect(await placeOf(206)).toEqual(atV2(4));
    });
  });

  describe('in a slot that is published again', () => {
    it('moves, if the slot lacked the migration', async () => {
      const [, second, ...rest] = COUNTED;
      const lacking = slot(11, { migrated: [migrated(201)] });
      await persist(FIRST, lacking, second, ...rest);
      expect(await placeOf(203)).toEqual(atV2(3));
      await persist(COUNTED[0]);
      expect(await digest()).toBe(await digestOf(FIRST, ...COUNTED));
    });

    it('has another place, if outputs before it were lacking', async () => {
      const lacking = slot(10, { created: FIRST.facts.created.slice(0, -1) });
      await persist(lacking, ...COUNTED);
      expect(await Promise.all([201, 203, 204].map(placeOf))).toEqual([1, 3, 7].map(atV2));
      await persist(FIRST);
      expect(await Promise.all([201, 203, 204].map(placeOf))).toEqual([2, 4, 7].map(atV2));
      expect(await digest()).toBe(await digestOf(FIRST, ...COUNTED));
    });

    it('is ignored together with the slot, if that lacks a stored migration', async () => {
      await persist(FIRST, ...COUNTED);
      const before = await digest();
      const other = slot(11, { created: [output(2, 79)], migrated: [migrated(201)] });
      expect((await persist(other)).ignored).toMatchObject([{ reason: 'conflicting-facts' }]);
      expect(await digest()).toBe(before);
    });
  });

  describe('2,048 slots ago', () => {
    const after = (number: number, parentSlot: number, facts: Partial<AccountFacts> = {}) => {
      const hash = (of: number) => testHash(of > 255 ? of % 255 : of);
      return slot(number, facts, {
        parentSlot: toSlot(parentSlot),
        blockhash: hash(number),
        parentBlockhash: hash(parentSlot),
      });
    };
    const OLD = [
      FIRST,
      slot(11, { created: [output(2, 71)] }),
      slot(12, { migrated: [migrated(201)] }),
      slot(13, { created: [output(4, 73)] }),
      slot(14, { created: [output(5, 74)] }),
      slot(15),
    ];

    it('moves if older outputs become known', async () => {
      const deadLetters = [{ signature: null, index: 1, reasons: ['the node lags'], json: '{}' }];
      await persist(OLD[0], slot(11, {}, { deadLetters }), ...OLD.slice(2), after(5_000, 15));
      expect(await placeOf(201)).toEqual(atV2(2));
      await persist(OLD[1]);
      expect(await placeOf(201)).toEqual(atV2(3));
      expect(await digest()).toBe(await digestOf(...OLD, after(5_000, 15)));
    });

    it('stays in the V1 tree if the migration becomes known, and no output of its slot', async () => {
      await persist(...OLD, after(5_000, 15));
      await persist(slot(15, { migrated: [migrated(202)] }));
      expect(await placeOf(202)).toEqual(atV1(202));
      await persist(after(5_001, 5_000, { migrated: [migrated(203)] }));
      expect(await placeOf(203)).toEqual(atV2(6));
    });
  });
});
