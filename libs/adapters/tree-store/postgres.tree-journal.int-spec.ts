import { connect, StoreUnavailableError } from '@fresnel/adapters/store-schema';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { createTree } from '@fresnel/domain/trees';
import { describeTreeStoreContract } from './tree-store.contract';
import { TcpLink } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase, waitForBlockedSessions } from '@fresnel/testing/store';
import { sha256, testAddressTree } from '@fresnel/testing/trees';
import { type DataSource } from 'typeorm';
import { InMemoryTreeStore } from './in-memory.tree-store';
import { JOURNAL_TABLES } from './journal-tables';
import { PostgresTreeJournal } from './postgres.tree-journal';
import { NO_QUEUE_CHANGES, type TreeCommit } from './tree-store';

const openStore = (dataSource: DataSource) => InMemoryTreeStore.open(sha256, new PostgresTreeJournal(dataSource));

describeTreeStoreContract('InMemoryTreeStore with a journal in Postgres', async () => {
  const database = await createTestDatabase();
  const open = () => openStore(database.dataSource);
  return { store: await open(), reopen: open, close: () => database.drop() };
});

describe('PostgresTreeJournal', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await (await openStore(database.dataSource)).claimPosition(0);
  });
  afterEach(() => database.drop());

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
  const testBlockhash = sha256([Buffer.from('block')]);
  const move = (from: bigint, to: bigint) => ({ partition: 0, epoch: 1n, from, to });

  it('fences a writer whose state is older than the commits of another writer', async () => {
    const [one, other] = [await openStore(database.dataSource), await openStore(database.dataSource)];
    await one.commit({ trees: [initialTree()], slot: toSlot(1), position: move(0n, 1n) });
    const late = other.commit({ trees: [initialTree()], slot: toSlot(2), position: move(0n, 2n) });
    await expect(late).rejects.toMatchObject({ code: 'fenced' });
    expect([await other.findSlot(), await other.findHead(info.tree)]).toEqual([null, null]);
    expect(await (await openStore(database.dataSource)).findSlot()).toBe(1);
  });

  it('claims a partition with its newest state, not with the state of the first load', async () => {
    const [one, other] = [await openStore(database.dataSource), await openStore(database.dataSource)];
    await one.commit({ trees: [initialTree()], slot: toSlot(1), position: move(0n, 1n) });
    expect(await other.findHead(info.tree)).toBeNull();
    expect(await other.claimPosition(0)).toEqual({ offset: 1n, epoch: 2n });
    expect([await other.findHead(info.tree), await other.findSlot()]).toEqual([initialTree().head, 1]);
  });

  it('stores nothing of a commit that it has stored already', async () => {
    const journal = new PostgresTreeJournal(database.dataSource);
    await journal.persist({ trees: [initialTree()], slot: toSlot(1), position: move(0n, 1n) });
    const { head } = initialTree();
    const other = { ...initialTree(), head: { ...head, seq: head.seq + 9n } };
    await journal.persist({ trees: [other], slot: toSlot(7), position: move(0n, 1n) });
    expect([await journal.trees.listHeads(), await journal.readPartition(0)]).toEqual([
      [head],
      { slot: 1, blocks: [] },
    ]);
  });

  it('has a position, a slot and blocks for each partition of each topic', async () => {
    const journals = ['a', 'b'].map((topic) => new PostgresTreeJournal(database.dataSource, topic));
    const blocksOf = (slot: number) => [{ slot: toSlot(slot), blockhash: testBlockhash, isOrphaned: false }];
    let at = 0;
    for (const journal of journals) {
      for (const partition of [0, 1]) {
        const { epoch, offset } = await journal.claimPosition(partition);
        expect(offset).toBeNull();
        at++;
        const blocks = { recent: blocksOf(at), forkPointSlot: null };
        await journal.persist({
          trees: [],
          slot: toSlot(at),
          blocks,
          position: { partition, epoch, from: 0n, to: BigInt(at) },
        });
      }
    }
    at = 0;
    for (const journal of journals) {
      for (const partition of [0, 1]) {
        at++;
        expect(await journal.readPartition(partition)).toEqual({ slot: at, blocks: blocksOf(at) });
        expect(await journal.claimPosition(partition)).toEqual({ offset: BigInt(at), epoch: 2n });
      }
    }
  });

  it('writes nothing of a commit if a part of it fails', async () => {
    const store = await openStore(database.dataSource);
    const added = new Map([[2n ** 70n, info.tree as never]]);
    const broken = { ...initialTree(), queue: { ...NO_QUEUE_CHANGES, added } };
    await expect(store.commit({ trees: [broken], slot: toSlot(1), position: move(0n, 1n) })).rejects.toThrow('numeric');
    for (const found of [store, await openStore(database.dataSource)]) {
      expect([await found.listHeads(), await found.findSlot(), await found.findPosition(0)]).toEqual([[], null, null]);
    }
  });

  it('loads one consistent state while another writer commits', async () => {
    const store = await openStore(database.dataSource);
    await store.commit({ trees: [initialTree()], slot: toSlot(1), position: move(0n, 1n) });
    const writer = database.dataSource.createQueryRunner();
    await writer.startTransaction();
    await writer.query(`LOCK TABLE address_tree_pages IN ACCESS EXCLUSIVE MODE`);
    const loading = new PostgresTreeJournal(database.dataSource).load();
    await waitForBlockedSessions(database.dataSource);
    await writer.query(`UPDATE address_trees SET seq = 5`);
    await writer.query(`DELETE FROM address_tree_pages`);
    await writer.query(`UPDATE tree_partitions SET slot = 2`);
    await writer.query(`UPDATE positions SET next_offset = 2`);
    await writer.commitTransaction();
    await writer.release();
    const { slot, positions, trees } = await loading;
    expect([slot, positions]).toEqual([1, new Map([[0, 1n]])]);
    const { pages } = initialTree();
    expect(trees.map((tree) => [tree.head.seq, tree.pages.copy([...pages.keys()])])).toEqual([[3n, pages]]);
  });

  it('loads trees with more rows than are read at once', async () => {
    const infos = [info, testAddressTree('addressV2')];
    const stores = await openStore(database.dataSource);
    const trees = infos.map((each) => ({ ...initialTree(), head: { ...initialTree().head, info: each } }));
    await stores.commit({ trees, slot: toSlot(1), position: move(0n, 1n) });
    const elements = `
      INSERT INTO address_tree_elements (tree, leaf_index, value, next_index, next_value)
      SELECT tree, 2 + at, sha256(tree || at::text::bytea), at * 97, sha256(at::text::bytea)
      FROM address_trees, generate_series(1, 9000) AS at`;
    const pages = `
      INSERT INTO address_tree_pages (tree_digest, page, nodes)
      SELECT key_digest(tree), at, decode(repeat(encode(sha256(tree || at::text::bytea), 'hex'), 30), 'hex')
      FROM address_trees, generate_series(1, 1500) AS at`;
    await database.dataSource.query(elements);
    await database.dataSource.query(pages);
    const loaded = await openStore(database.dataSource);
    for (const { tree } of infos) {
      for (const at of [1, 2, 4_500, 8_999, 9_000]) {
        const value = sha256([tree, Buffer.from(String(at))]);
        const above = Buffer.from(value) as Hash;
        above[31] = above[31] === 255 ? 255 : above[31] + 1;
        const expected = { index: 2 + at, value, nextIndex: at * 97, nextValue: sha256([Buffer.from(String(at))]) };
        expect(await loaded.findLowElements(tree, [above])).toEqual([expected]);
      }
      const found = await loaded.readPages(tree, [1, 750, 1_500, 1_501]);
      expect([...found.keys()]).toEqual([1, 750, 1_500]);
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
    await link.cut();
    const commit = { trees: [initialTree()], slot: toSlot(1), position: move(0n, 1n) };
    await expect(store.commit(commit)).rejects.toThrow(StoreUnavailableError);
    expect([await store.listHeads(), await store.findSlot(), await store.findPosition(0)]).toEqual([[], null, null]);
    await link.restore();
    await store.commit(commit);
    expect([await store.findSlot(), await store.findPosition(0)]).toEqual([1, 1n]);
    expect(await (await openStore(database.dataSource)).findHead(info.tree)).toEqual(initialTree().head);
    await away.destroy();
    await link.cut();
  });
});
