import { type BlockRef, blockRefOf, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { toPubkey } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  insertTreeBranch,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { BRANCH_BLOCKS, findProofState } from './branch-blocks.query';
import { Reader } from './reader';

const refOf = (slot: number, branch = 'main'): BlockRef => blockRefOf(blockLinkAt(slot, branch));

const [TREE, OTHER] = [1, 2].map((fill) => toPubkey(Buffer.alloc(32, fill)));

describe('findProofState', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
  });
  beforeEach(async () => {
    await database.dataSource.query('TRUNCATE blocks, orphaned_blocks');
    // Slots 105 and 106 are skipped. 112 has a sibling at 113.
    await store(range(100, 104));
    await store([107, 108, 109, 110, 111, 112], 104);
    await store([113], 111, 'other');
    await setIndexedSlot(database.dataSource, 111);
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  /** Stores linked blocks. The parent of the first is the block of a slot of the main branch. */
  async function store(slots: readonly number[], parentSlot = slots[0] - 1, branch = 'main'): Promise<void> {
    const parents = slots.map((_, at) => (at === 0 ? parentSlot : slots[at - 1]));
    await database.dataSource.query(
      `INSERT INTO blocks (slot, blockhash, parent_slot, parent_blockhash, block_time, changes_trees)
       SELECT slot, blockhash, parent_slot, parent_blockhash, 0, false
       FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bytea[])
         AS list (slot, blockhash, parent_slot, parent_blockhash)`,
      [
        slots,
        slots.map((slot) => blockhashAt(slot, branch)),
        parents,
        parents.map((slot, at) => blockhashAt(slot, at === 0 ? 'main' : branch)),
      ],
    );
  }
  const ask = (...blocks: BlockRef[]) =>
    Promise.all(blocks.map(async (block) => (await findProofState(reader, block, TREE)).isOnBranch));

  it('is true for the blocks of the indexed branch', async () => {
    expect(await ask(refOf(110), refOf(107), refOf(104), refOf(100))).toEqual([true, true, true, true]);
  });

  it('is false for another block of a slot, and in a skipped slot', async () => {
    expect(await ask(refOf(107, 'other'), refOf(106, 'other'), refOf(105))).toEqual([false, false, false]);
  });

  describe('above the indexed slot', () => {
    beforeEach(() => database.dataSource.query('UPDATE blocks SET changes_trees = slot IN (107, 110)'));
    afterEach(() => database.dataSource.query('DELETE FROM tree_partitions'));

    const followBranch = (partition: number, branch: readonly BlockRef[]) =>
      insertTreeBranch(database.dataSource, partition, branch);

    it('is true for both siblings while the index stands before them', async () => {
      await followBranch(0, [refOf(110), refOf(111), refOf(112)]);
      await followBranch(1, [refOf(110), refOf(111), refOf(113, 'other')]);
      expect(await ask(refOf(112), refOf(113, 'other'))).toEqual([true, true]);
    });

    it('is false if the parent is below the indexed slot', async () => {
      await followBranch(0, [refOf(110), refOf(111), refOf(112), refOf(113)]);
      await followBranch(1, [refOf(112), refOf(113, 'other')]);
      await setIndexedSlot(database.dataSource, 112);
      expect(await ask(refOf(113, 'other'), refOf(113))).toEqual([false, true]);
    });

    it('is false if the trees do not have the block: they may have lost its revert', async () => {
      await followBranch(0, [refOf(110), refOf(111)]);
      expect(await ask(refOf(112), refOf(113, 'other'), refOf(2 ** 40))).toEqual([false, false, false]);
    });

    it('is false if the block is orphaned', async () => {
      await followBranch(0, [refOf(110), refOf(111), refOf(112, 'other')]);
      expect(await ask(refOf(112, 'other'))).toEqual([true]);
      await database.dataSource.query(`INSERT INTO orphaned_blocks (slot, blockhash) VALUES (112, $1)`, [
        blockhashAt(112, 'other'),
      ]);
      expect(await ask(refOf(112, 'other'))).toEqual([false]);
    });

    it('is false on a branch without the newest block of the index, also if its first blocks are silent', async () => {
      await followBranch(0, [refOf(107), refOf(110), refOf(111, 'other'), refOf(113, 'other')]);
      await followBranch(1, [refOf(107), refOf(110), refOf(114, 'other')]);
      expect(await ask(refOf(113, 'other'), refOf(114, 'other'))).toEqual([false, false]);
    });

    it('is false on a branch without the newest change of the index', async () => {
      await followBranch(0, [refOf(107), refOf(110)]);
      await followBranch(1, [refOf(107), refOf(113, 'other'), refOf(114, 'other')]);
      expect(await ask(refOf(113, 'other'), refOf(114, 'other'))).toEqual([false, false]);
    });

    it('is false on a branch with a change that the index has passed without it', async () => {
      await setIndexedSlot(database.dataSource, 112);
      await followBranch(0, [refOf(107), refOf(110), refOf(111, 'other'), refOf(114, 'other')]);
      await followBranch(1, [refOf(107), refOf(110), refOf(112), refOf(115)]);
      expect(await ask(refOf(114, 'other'), refOf(115))).toEqual([false, true]);
    });

    it('is true on a branch with the newest block of the index', async () => {
      await followBranch(0, [refOf(107), refOf(110), refOf(111), refOf(112)]);
      expect(await ask(refOf(112))).toEqual([true]);
    });

    it('is true on a long branch that has a gap after the newest change of the index', async () => {
      const silent = range(113, 113 + MAX_FORK_DEPTH).map((slot) => refOf(slot));
      await followBranch(0, [refOf(110), ...silent]);
      await followBranch(1, [refOf(107), ...silent.map(({ slot }) => refOf(slot, 'other'))]);
      expect(await ask(refOf(130), refOf(130, 'other'))).toEqual([true, false]);
    });

    it('is true if the trees do not remember the newest change of the index any more', async () => {
      await followBranch(0, [refOf(112), refOf(200)]);
      expect(await ask(refOf(200))).toEqual([true]);
    });
  });

  it('is true below the oldest stored block, which is final', async () => {
    expect(await ask(refOf(99, 'any'), refOf(0, 'any'))).toEqual([true, true]);
  });

  it('is false after the revert of a block', async () => {
    await setIndexedSlot(database.dataSource, 108);
    await database.dataSource.query('DELETE FROM blocks WHERE slot > 108');
    await database.dataSource.query(`INSERT INTO orphaned_blocks (slot, blockhash) VALUES (110, $1), (109, $2)`, [
      blockhashAt(110),
      blockhashAt(109),
    ]);
    expect(await ask(refOf(110), refOf(109), refOf(108))).toEqual([false, false, true]);
  });

  describe('of an index that begins with history', () => {
    const closures = async () => [
      (await findProofState(reader, refOf(110), TREE)).closure,
      (await findProofState(reader, refOf(110), OTHER)).closure,
    ];
    beforeEach(() => database.dataSource.query(`INSERT INTO attested_ranges VALUES (50, 99, 'a source', 7)`));
    afterEach(() =>
      database.dataSource.query(`
        TRUNCATE attested_ranges, history_findings;
        UPDATE indexer_state SET history_checked = false`),
    );

    it('closes all trees until it is compared with the chain', async () => {
      expect(await closures()).toEqual(['not-compared', 'not-compared']);
      await database.dataSource.query('UPDATE indexer_state SET history_checked = true');
      expect(await closures()).toEqual([null, null]);
    });

    it('closes trees of which history lacks something', async () => {
      await database.dataSource.query('UPDATE indexer_state SET history_checked = true');
      await database.dataSource.query(
        `INSERT INTO history_findings (tree, reason, from_slot, to_slot) VALUES ($1, 'spend-missing', 60, 99)`,
        [OTHER],
      );
      expect(await closures()).toEqual([null, 'spend-missing']);
    });
  });

  it('reads blocks by their slots', async () => {
    await database.dataSource.query('ANALYZE blocks, orphaned_blocks');
    const { first, later } = await explainStatement(database.dataSource, BRANCH_BLOCKS, [[Buffer.alloc(72)]]);
    for (const plan of [first, later]) {
      expect(plan.indexes).toEqual([
        ...['idx_blocks_changes_trees', 'pk_attested_ranges', 'pk_blocks', 'pk_history_findings', 'pk_orphaned_blocks'],
      ]);
      // A row each: the index, and each partition.
      expect(plan.scannedTables).toEqual(['indexer_state', 'tree_partitions']);
    }
  });
});
