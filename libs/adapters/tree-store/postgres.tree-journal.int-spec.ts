import { randomUUID } from 'node:crypto';
import { connect, setPositions, StoreUnavailableError } from '@fresnel/adapters/store-schema';
import { PROVER_GROUP } from '@fresnel/contracts/messages';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { createTree } from '@fresnel/domain/trees';
import { describeTreeJournalContract } from './tree-journal.contract';
import { describeTreeStoreContract } from './tree-store.contract';
import { TcpLink } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase, waitForBlockedSessions } from '@fresnel/testing/store';
import { commitNext, commitTo, headsOf, offsetOf, sha256, testAddressTree } from '@fresnel/testing/trees';
import { type DataSource } from 'typeorm';
import { InMemoryTreeStore } from './in-memory.tree-store';
import { type JournalEntry } from './journal-entry';
import { JOURNAL_TABLES } from './journal-tables';
import { InMemoryTree } from './in-memory.tree';
import { PostgresTreeJournal } from './postgres.tree-journal';
import { toTreeLog } from './tree-journal';
import { handOverTrees } from './tree-log.statement';
import { type EntryId, NO_QUEUE_CHANGES, type TreeCommit } from './tree-store';

const openStore = (dataSource: DataSource) =>
  InMemoryTreeStore.open(sha256, new PostgresTreeJournal(dataSource, toTreeLog()));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => database.empty());
afterAll(() => database.drop());

const close = () => Promise.resolve();

describeTreeStoreContract('InMemoryTreeStore with a journal in Postgres', async () => {
  const open = () => openStore(database.dataSource);
  return { store: await open(), reopen: open, close };
});

describeTreeJournalContract('PostgresTreeJournal', () =>
  Promise.resolve({ journal: new PostgresTreeJournal(database.dataSource, toTreeLog()), close }),
);

describe('PostgresTreeJournal', () => {
  const info = testAddressTree('addressV1');
  function initialTree(): TreeCommit {
    const { head, elements, pages } = createTree(info, sha256);
    const noChanges = {
      removed: [],
      queue: NO_QUEUE_CHANGES,
      inputQueue: NO_QUEUE_CHANGES,
      undo: [],
    };
    return { head, elements, pages: pages.changedPages(), ...noChanges };
  }
  const journalOf = (topic = 'a', generation = 1) =>
    new PostgresTreeJournal(database.dataSource, { topic, generation });

  it('claims a partition with its newest state, not with the state of the first load', async () => {
    const [one, other] = [await openStore(database.dataSource), await openStore(database.dataSource)];
    await commitTo(one, [initialTree()], { slot: toSlot(1) });
    expect((await other.openTree(info.tree)).head).toBeNull();
    const { offset, block } = await other.claimPartition(0, 1);
    expect([offset, block?.slot, await other.findSlot()]).toEqual([1n, 1, 1]);
    expect((await other.openTree(info.tree)).head).toEqual(initialTree().head);
  });

  it('goes on from the state of the journal after the answer to a commit was lost', async () => {
    const journal = new PostgresTreeJournal(database.dataSource, toTreeLog());
    const persist = journal.persist.bind(journal);
    jest.spyOn(journal, 'persist').mockImplementationOnce(async (entry) => {
      await persist(entry);
      throw new StoreUnavailableError('connection lost');
    });
    const store = await InMemoryTreeStore.open(sha256, journal);
    await expect(commitTo(store, [initialTree()], { slot: toSlot(1) })).rejects.toThrow('connection lost');
    expect(await store.findSlot()).toBeNull();
    expect((await store.claimPartition(0, 1)).offset).toBe(1n);
    expect([await store.findSlot(), (await store.openTree(info.tree)).head]).toEqual([1, initialTree().head]);
  });

  it('refuses commits and loads of another log, until the trees are handed over to it', async () => {
    const entryOn = (on: EntryId | null, from: bigint): JournalEntry => ({
      ...{ id: randomUUID(), partition: 0, on, from, to: from + 1n, trees: [] },
      ...{ block: null, blocks: [], hasRefused: false },
    });
    const first = entryOn(null, 0n);
    await journalOf().persist(first);
    for (const other of [journalOf('b'), journalOf('a', 2)]) {
      const calls = [
        other.persist(entryOn(null, 0n)),
        other.readPartition(0, 1),
        other.readTree(info.tree, () => Promise.resolve(null)),
      ];
      for (const call of calls) {
        await expect(call).rejects.toMatchObject({ code: 'other-log', isRetryable: false });
      }
    }
    await expect(journalOf('b').readPartition(0, 1)).rejects.toThrow('run "fresnel trees hand-over b --generation 1"');
    await handOverTrees(database.dataSource.manager, { topic: 'b', generation: 1 });
    await expect(journalOf().persist(entryOn(first.id, 1n))).rejects.toMatchObject({ code: 'other-log' });
    await journalOf('b').persist(entryOn(null, 0n));
    expect(await journalOf('b').readPartition(0, 1)).toMatchObject({ offset: 1n });
  });

  it('accepts the first commit of one log only, if two logs start at the same time', async () => {
    const entry = (): JournalEntry => ({
      ...{ id: randomUUID(), partition: 0, on: null, from: 0n, to: 1n, trees: [] },
      ...{ block: null, blocks: [], hasRefused: false },
    });
    const results = await Promise.allSettled(['a', 'b'].map((topic) => journalOf(topic).persist(entry())));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'other-log' } });
  });

  it('accepts the first batch of a partition at offset 0 only, unless a position was set', async () => {
    const entry = (partition: number, from: bigint): JournalEntry => ({
      ...{ id: randomUUID(), partition, on: null, from, to: from + 1n, trees: [] },
      ...{ block: null, blocks: [], hasRefused: false },
    });
    await expect(journalOf().persist(entry(0, 7n))).rejects.toMatchObject({ code: 'fenced' });
    const key = { consumerGroup: PROVER_GROUP, topic: 'a' };
    await setPositions(database.dataSource.manager, key, new Map([[0, 7n]]));
    await expect(journalOf().persist(entry(0, 0n))).rejects.toMatchObject({ code: 'fenced' });
    await journalOf().persist(entry(0, 7n));
    await journalOf().persist(entry(1, 0n));
  });

  it('writes nothing of a commit if a part of it fails', async () => {
    const store = await openStore(database.dataSource);
    const added = new Map([[2n ** 70n, info.tree as never]]);
    const broken = { ...initialTree(), queue: { ...NO_QUEUE_CHANGES, added } };
    await expect(commitTo(store, [broken], { slot: toSlot(1) })).rejects.toThrow('numeric');
    for (const found of [store, await openStore(database.dataSource)]) {
      expect([await headsOf(found), await found.findSlot(), await offsetOf(found)]).toEqual([[], null, 0n]);
    }
  });

  it('loads one consistent state while another writer commits', async () => {
    const store = await openStore(database.dataSource);
    await commitTo(store, [initialTree()], { slot: toSlot(1) });
    const writer = database.dataSource.createQueryRunner();
    await writer.startTransaction();
    await writer.query(`LOCK TABLE address_tree_pages IN ACCESS EXCLUSIVE MODE`);
    const loading = new PostgresTreeJournal(database.dataSource, toTreeLog()).readAll(
      0,
      1,
      async (partition, trees) => ({
        partition,
        trees: await Promise.all(trees.map((tree) => InMemoryTree.load(tree))),
      }),
    );
    await waitForBlockedSessions(database.dataSource);
    await writer.query(`UPDATE address_trees SET seq = 5`);
    await writer.query(`DELETE FROM address_tree_pages`);
    await writer.query(`UPDATE tree_partitions SET slot = 2`);
    await writer.query(`UPDATE positions SET next_offset = 2`);
    await writer.commitTransaction();
    await writer.release();
    const { partition, trees } = await loading;
    expect([partition.block?.slot, partition.offset]).toEqual([1, 1n]);
    const { pages } = initialTree();
    expect(trees.map((tree) => [tree.head.seq, tree.readPages([...pages.keys()])])).toEqual([[3n, pages]]);
  });

  it('loads trees with more rows than are read at once', async () => {
    const infos = [info, testAddressTree('addressV2')];
    const stores = await openStore(database.dataSource);
    const trees = infos.map((each) => ({ ...initialTree(), head: { ...initialTree().head, info: each } }));
    await commitTo(stores, trees, { slot: toSlot(1) });
    const elements = `
      INSERT INTO address_tree_elements (tree, leaf_index, value, next_index, next_value)
      SELECT tree, 2 + at, sha256(tree || at::text::bytea), at * 97, sha256(at::text::bytea)
      FROM address_trees, generate_series(1, 21000) AS at`;
    const pages = `
      INSERT INTO address_tree_pages (tree_digest, page, nodes)
      SELECT key_digest(tree), at, decode(repeat(encode(sha256(tree || at::text::bytea), 'hex'), 30), 'hex')
      FROM address_trees, generate_series(1, 2500) AS at`;
    await database.dataSource.query(elements);
    await database.dataSource.query(pages);
    const loaded = await openStore(database.dataSource);
    for (const { tree } of infos) {
      const opened = await loaded.openTree(tree);
      for (const at of [1, 2, 10_500, 20_999, 21_000]) {
        const value = sha256([tree, Buffer.from(String(at))]);
        const above = Buffer.from(value) as Hash;
        above[31] = above[31] === 255 ? 255 : above[31] + 1;
        const expected = { index: 2 + at, value, nextIndex: at * 97, nextValue: sha256([Buffer.from(String(at))]) };
        expect(await opened.findLowElements([above])).toEqual([expected]);
      }
      const found = await opened.readPages([1, 1_250, 2_500, 2_501]);
      expect([...found.keys()]).toEqual([1, 1_250, 2_500]);
      for (const [id, nodes] of found) expect(nodes.subarray(928)).toEqual(sha256([tree, Buffer.from(String(id))]));
    }
  });

  it.each(JOURNAL_TABLES.map(({ pages }) => pages))('stores eight rows of %s in a block', async (table) => {
    await database.dataSource.query(`
      INSERT INTO ${table} (tree_digest, page, nodes)
      SELECT key_digest(sha256('a tree')), at, decode(repeat(encode(sha256(at::text::bytea), 'hex'), 30), 'hex')
      FROM generate_series(1, 64) AS at`);
    const sizes = await database.dataSource.query<object[]>(
      `SELECT pg_relation_size($1) / current_setting('block_size')::integer AS blocks`,
      [table],
    );
    expect(sizes).toEqual([{ blocks: '8' }]);
  });

  it('throws retryable errors while the database is unreachable, and keeps the committed state', async () => {
    const link = await TcpLink.to(database.url);
    const away = await connect({ url: link.url, poolSize: 1, applicationName: 'away' });
    const store = await openStore(away);
    const partition = await store.claimPartition(0, 1);
    await link.cut();
    await expect(commitNext(partition, [initialTree()])).rejects.toThrow(StoreUnavailableError);
    expect([(await store.openTree(info.tree)).head, await store.findSlot()]).toEqual([null, null]);
    await link.restore();
    await commitTo(store, [initialTree()], { slot: toSlot(1) });
    expect([await store.findSlot(), await offsetOf(store)]).toEqual([1, 1n]);
    expect((await (await openStore(database.dataSource)).openTree(info.tree)).head).toEqual(initialTree().head);
    await away.destroy();
    await link.cut();
  });
});
