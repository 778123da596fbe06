import { findAccount, Reader } from '@fresnel/adapters/store-read';
import { type BlockLink, isSameBlock } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import { consumedAccount, createdAccount, slotUpdate as slotWith, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase, waitForBlockedSessions } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type PersistedBatch, type SlotChange, type SlotUpdate } from './slot-batch';

const reasons = ({ ignored }: PersistedBatch) => ignored.map(({ update, reason }) => [update.events.slot, reason]);
const revert = ({ events: { slot, blockhash } }: SlotUpdate): SlotChange => ({ reverted: { slot, blockhash } });
const adopt = ({ events: { slot, blockhash } }: SlotUpdate): SlotChange => ({ adopted: { slot, blockhash } });
/** The parent of a block that does not follow the slot before. */
const over = (parent: number): Partial<SlotEvents> => ({
  parentSlot: toSlot(parent),
  parentBlockhash: testHash(parent),
});
/** Blocks of the chain without facts, each the child of the one before. */
const chain = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => slotWith(from + at));

/*
 * The chain:           10 ── 11 ── 13 ── 14 …      slot 12 is skipped
 * Another branch:             └── 12
 */
const FIRST = slotWith(10, { created: [createdAccount(9, 7n, 70)] });
const ORPHANED = slotWith(12, { created: [createdAccount(50, 5n, 80)], consumed: [consumedAccount(9, 80)] });
const NEXT = slotWith(13, { created: [createdAccount(60, 6n, 81)] }, over(11));

describe('the indexed branch', () => {
  let database: TestDatabase;
  let clean: TestDatabase;
  let store: ProjectionStore;
  let reader: Reader;
  beforeAll(async () => {
    [database, clean] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    store = new ProjectionStore(database.dataSource);
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
  });
  afterEach(() => Promise.all([database.empty(), clean.empty()]));
  afterAll(async () => {
    await reader.close();
    await Promise.all([database.drop(), clean.drop()]);
  });

  const persist = (...slots: SlotChange[]) => store.persistSlots({ slots, chainTip: null, position: null });
  const query = <Row extends object>(sql: string) => database.dataSource.query<Row[]>(sql);
  const isShown = async (seed: number) => (await findAccount(reader, { hash: testHash(seed) })).account !== null;
  const indexedSlot = async () => {
    const [{ slot }] = await query<{ slot: string | null }>('SELECT indexed_slot AS slot FROM indexer_state');
    return slot === null ? null : Number(slot);
  };
  const digest = () => digestState(database.dataSource);
  /** The contents of tables that received only these slots. */
  const digestOf = async (...slots: SlotChange[]) => {
    await clean.empty();
    await new ProjectionStore(clean.dataSource).persistSlots({ slots, chainTip: null, position: null });
    return digestState(clean.dataSource);
  };

  /** Runs writers while others cannot write to a table, until all of them are blocked. */
  async function whileLocked(table: string, write: () => Promise<unknown>): Promise<void> {
    const lock = database.dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query(`LOCK TABLE ${table} IN SHARE MODE`);
    await write();
    await lock.rollbackTransaction();
    await lock.release();
  }

  describe('does not contain an orphaned block at a slot that the chain has skipped', () => {
    it('which arrives after the slot is passed', async () => {
      await persist(FIRST, slotWith(11), NEXT);
      expect(reasons(await persist(ORPHANED))).toEqual([[12, 'not-on-branch']]);
      await persist(...chain(14, 63));
      expect(await indexedSlot()).toBe(63);
      expect([await isShown(50), await isShown(9)]).toEqual([false, true]);
    });

    it('whose account the chain consumes in another slot', async () => {
      await persist(FIRST, slotWith(11), NEXT);
      await persist(ORPHANED);
      expect(reasons(await persist(slotWith(14, { consumed: [consumedAccount(9, 82)] })))).toEqual([]);
      await persist(...chain(15, 74));
      expect(await indexedSlot()).toBe(74);
    });

    it('which is stored before the slot is passed: the index waits for a revert', async () => {
      await persist(FIRST, slotWith(11), ORPHANED, NEXT);
      await persist(...chain(14, 63));
      expect(await indexedSlot()).toBe(11);
      expect([await isShown(50), await isShown(9)]).toEqual([false, true]);
      await persist(revert(ORPHANED));
      expect(await indexedSlot()).toBe(63);
      expect(await digest()).toBe(await digestOf(FIRST, slotWith(11), NEXT, ...chain(14, 63)));
    });

    it('and whose parent is not stored: the index waits for a revert', async () => {
      const unlinked = slotWith(12, {}, { parentBlockhash: testHash(99) });
      await persist(FIRST, slotWith(11), unlinked, NEXT);
      expect(await indexedSlot()).toBe(11);
      await persist(revert(unlinked));
      expect(await indexedSlot()).toBe(13);
    });

    it('which arrives after the blocks around it are deleted', async () => {
      const far = slotWith(3_000, {}, over(13));
      await persist(FIRST, slotWith(11), NEXT, far);
      expect(await query('SELECT slot FROM blocks')).toEqual([{ slot: '3000' }]);
      expect(reasons(await persist(ORPHANED))).toEqual([[12, 'not-on-branch']]);
      expect([await isShown(50), await isShown(9)]).toEqual([false, true]);
    });

    it('whose writer waits while the slot is passed', async () => {
      await persist(FIRST, slotWith(11));
      let late: Promise<PersistedBatch> | undefined;
      await whileLocked('accounts', async () => {
        late = persist(ORPHANED);
        await waitForBlockedSessions(database.dataSource);
        await persist(slotWith(13, {}, over(11)));
        expect(await indexedSlot()).toBe(13);
      });
      expect(late && reasons(await late)).toEqual([[12, 'not-on-branch']]);
      expect([await isShown(50), await isShown(9)]).toEqual([false, true]);
    });

    it('which is stored while another writer passes the slot', async () => {
      await persist(slotWith(10), slotWith(11));
      let passing: Promise<PersistedBatch> | undefined;
      await whileLocked('token_holders', async () => {
        passing = persist(NEXT);
        await waitForBlockedSessions(database.dataSource);
        await persist(ORPHANED);
      });
      await passing;
      expect(await indexedSlot()).toBe(11);
      await persist(revert(ORPHANED));
      expect(await indexedSlot()).toBe(13);
    });
  });

  it('does not go on to a block while its sibling is stored, at whatever slot', async () => {
    const sibling = slotWith(16, {}, over(11));
    await persist(FIRST, slotWith(11), sibling, slotWith(12), slotWith(13));
    expect(await indexedSlot()).toBe(11);
    await persist(revert(sibling));
    expect(await indexedSlot()).toBe(13);
  });

  it('starts at its first block, also if another ingest has published older ones', async () => {
    const older = slotWith(9, { created: [createdAccount(50, 5n, 80)] });
    await persist(slotWith(8, {}, { isFirst: false }), older);
    await persist(FIRST, slotWith(11));
    expect([await indexedSlot(), await isShown(50)]).toEqual([11, false]);
    expect(reasons(await persist({ ...older, events: { ...older.events, isFirst: true } }))).toEqual([
      [9, 'not-on-branch'],
    ]);
    expect(await digest()).toBe(await digestOf(FIRST, slotWith(11)));
  });

  it('is reported with the stored blocks above it', async () => {
    expect(await store.findIndexEnd(10)).toEqual({ indexed: null, above: [] });
    await persist(FIRST, slotWith(11), slotWith(14), ORPHANED, slotWith(17), NEXT);
    const { indexed, above } = await store.findIndexEnd(3);
    expect(indexed).toEqual({ slot: 11, blockhash: testHash(11) });
    expect(above).toEqual([
      { slot: 12, blockhash: testHash(12), parentSlot: 11, parentBlockhash: testHash(11) },
      { slot: 13, blockhash: testHash(13), parentSlot: 11, parentBlockhash: testHash(11) },
      { slot: 14, blockhash: testHash(14), parentSlot: 13, parentBlockhash: testHash(13) },
    ]);
  });

  describe('takes back a reverted block that is on the chain after all', () => {
    const blocks = [FIRST, slotWith(11), slotWith(12), slotWith(13)];

    it('when it is published again, with its descendants', async () => {
      await persist(...blocks.slice(0, 2), revert(blocks[1]));
      expect(reasons(await persist(...blocks.slice(1)))).toEqual([
        [11, 'orphaned'],
        [12, 'orphaned'],
        [13, 'orphaned'],
      ]);
      expect(reasons(await persist(adopt(blocks[1]), ...blocks.slice(1)))).toEqual([]);
      expect(await digest()).toBe(await digestOf(...blocks));
      expect(await store.findOrphanedBlocks(0)).toEqual([]);
    });

    it('but not a descendant that was reverted itself', async () => {
      await persist(...blocks.slice(0, 2), revert(blocks[1]));
      await persist(blocks[2], revert(blocks[2]));
      await persist(adopt(blocks[1]));
      expect(await store.findOrphanedBlocks(0)).toEqual([{ slot: 12, blockhash: testHash(12) }]);
      expect(reasons(await persist(...blocks.slice(1)))).toEqual([
        [12, 'orphaned'],
        [13, 'orphaned'],
      ]);
      await persist(adopt(blocks[2]), ...blocks.slice(2));
      expect(await digest()).toBe(await digestOf(...blocks));
    });
  });

  /** Two partitions of a log. Each is in order; records of one may arrive before or after those of the other. */
  interface Log {
    chain: SlotUpdate[];
    partitions: [SlotChange[], SlotChange[]];
  }
  const on = (branch: number, parentBranch = branch): Partial<SlotEvents> => ({
    blockhash: testHash(branch + 2),
    parentBlockhash: testHash(parentBranch + 1),
  });
  /** The transaction of the orphaned block has landed in another block of the chain. */
  const landed = { created: [createdAccount(50, 5n, 80)], consumed: [consumedAccount(9, 80)] };
  const rivals = [slotWith(12, landed, on(110, 10)), slotWith(13, {}, on(111))] as const;
  const LOGS: [string, Log][] = [
    [
      'beside a skipped slot',
      {
        chain: [FIRST, slotWith(11), slotWith(13, landed, over(11)), slotWith(14)],
        partitions: [
          [slotWith(12, landed), revert(ORPHANED), slotWith(14)],
          [slotWith(11), slotWith(13, landed, over(11))],
        ],
      },
    ],
    [
      'of two blocks at the slots of the chain',
      {
        chain: [FIRST, slotWith(11), slotWith(12), slotWith(13, landed)],
        partitions: [
          [rivals[0], revert(rivals[0]), slotWith(12)],
          [slotWith(11), rivals[1], revert(rivals[1]), slotWith(13, landed)],
        ],
      },
    ],
    [
      'that is reverted after the chain went on',
      {
        chain: [FIRST, slotWith(11), slotWith(12), slotWith(13, landed)],
        partitions: [
          [rivals[0], slotWith(12), revert(rivals[0])],
          [rivals[1], slotWith(11), slotWith(13, landed), revert(rivals[1])],
        ],
      },
    ],
  ];

  /** All orders in which two partitions can arrive. */
  function interleave([one, other]: readonly [SlotChange[], SlotChange[]]): SlotChange[][] {
    if (one.length === 0) return [other];
    if (other.length === 0) return [one];
    return [
      ...interleave([one.slice(1), other]).map((rest) => [one[0], ...rest]),
      ...interleave([one, other.slice(1)]).map((rest) => [other[0], ...rest]),
    ];
  }

  /** The stored slots at or below the indexed one that the indexed block does not descend from. */
  async function findUnlinked(): Promise<number[]> {
    const slots = await query<{ slot: string; by: string }>(`
      WITH RECURSIVE branch AS (
        SELECT b.* FROM blocks b JOIN indexer_state s ON b.slot = s.indexed_slot
        UNION ALL
        SELECT b.* FROM branch JOIN blocks b ON b.slot = branch.parent_slot AND b.blockhash = branch.parent_blockhash
      ),
      shown AS (
        SELECT slot FROM blocks UNION SELECT created_by >> 16 FROM accounts UNION SELECT spent_by >> 16 FROM spends
        UNION SELECT id >> 16 FROM transactions
      )
      SELECT shown.slot FROM shown JOIN indexer_state s ON shown.slot <= s.indexed_slot
      WHERE shown.slot NOT IN (SELECT slot FROM branch)`);
    return slots.map(({ slot }) => Number(slot));
  }

  /** What a gap filler does: it publishes the blocks of the chain that are missing at the end of the index. */
  async function fillGaps(blocks: readonly SlotUpdate[]): Promise<void> {
    const { indexed, above } = await store.findIndexEnd(100);
    const isStored = (block: BlockLink) => [indexed, ...above].some((stored) => stored && isSameBlock(stored, block));
    await persist(...blocks.filter(({ events }) => events.slot > (indexed?.slot ?? 0) && !isStored(events)));
  }

  /*
   * One ingest, one fork that was followed correctly, and a database that is restored to the time before it:
   *
   *   partition 0    10 · 12 (orphaned) · revert 12 · 14 · 16 …
   *   partition 1    11 · 13 (parent 11, with the transaction that was in 12) · 15 · 17 …
   *
   * When the fork happened, ingest waited for the revert before it published 13. In the replay no process waits.
   */
  it('goes on after a fork that is replayed, once the gap that it has left is filled', async () => {
    const orphaned = slotWith(12, { created: [createdAccount(50, 5n, 80)] }, { blockhash: testHash(112) });
    const again = slotWith(13, { created: [createdAccount(50, 5n, 80)] }, over(11));
    await persist(slotWith(10));
    await persist(slotWith(11));
    await persist(orphaned);
    expect(reasons(await persist(again))).toEqual([[13, 'conflicting-facts']]);
    await persist(revert(orphaned));
    for (const block of chain(14, 99)) await persist(block);
    const { indexed, above } = await store.findIndexEnd(1);
    expect([indexed?.slot, above[0].slot, above[0].parentSlot]).toEqual([11, 14, 13]);
    await fillGaps([slotWith(10), slotWith(11), again, ...chain(14, 99)]);
    expect(await indexedSlot()).toBe(99);
  });

  describe.each(LOGS)('in every order of the records of an orphaned branch %s', (_, log) => {
    it('contains nothing else at any time, and all of the chain at the end', async () => {
      const expected = await digestOf(...log.chain);
      for (const order of interleave(log.partitions)) {
        await database.empty();
        await persist(FIRST);
        for (const change of order) {
          await persist(change);
          expect(await findUnlinked()).toEqual([]);
        }
        await fillGaps(log.chain);
        expect(await indexedSlot()).toBe(log.chain.at(-1)?.events.slot);
        expect(await digest()).toBe(expected);
      }
    }, 120_000);
  });
});
