import { connect } from '@fresnel/adapters/store-schema';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type Hash, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead, type AddressTreeType, unservableReasonOf } from '@fresnel/domain/trees';
import { contentsOfTrees, contentsWithoutForks, TestProver } from '@fresnel/testing/prover';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { ForkedTrees, offsetOf, sha256, testAddressTree, treeHasherOf } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { type DataSource } from 'typeorm';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { PostgresTreeJournal } from '../postgres.tree-journal';
import { PostgresTreeReads } from '../postgres.tree-reads';
import { emptiedTree, rebuildTree } from '../rebuild-tree';
import { replaceTree } from '../replace-tree';
import { TreeRepublications } from '../tree-republications';
import { toTreeLog } from '../tree-journal';
import { type TreeStore } from '../tree-store';
import { createTreeRedis } from './redis-connection';
import { type TreeLoad } from './redis.tree-loader';
import { RedisTreeStore } from './redis.tree-store';

const SLOT = toSlot(100);
const WRONG = Buffer.alloc(32, 9) as Hash;
const hasher = treeHasherOf(sha256);
const blocks = (count: number) => Array.from({ length: count }, () => BLOCK);
const BLOCK = { skipped: 0, inserted: 2, queued: 3, batched: 4 };

/** A chain whose blocks change both trees. */
const CHAIN = new ForkedTrees().extend(blocks(30)).published;
const CUT = Math.floor(CHAIN.length / 2);
const isUpdate = (message: TreeUpdatesMessage) => message.kind === 'update';

/** The same updates; one of them contradicts the tree. */
function contradict(messages: readonly TreeUpdatesMessage[], type: AddressTreeType): TreeUpdatesMessage[] {
  const at = messages.findIndex(
    (message) =>
      message.kind === 'update' &&
      message.update.tree.type === type &&
      message.update.changes.some(({ kind }) => kind !== 'address-queued'),
  );
  return messages.map((message, index) => {
    if (index !== at || message.kind !== 'update') return message;
    const changes = message.update.changes.map((change) => {
      if (change.kind === 'address-batch') return { ...change, newRoot: WRONG };
      if (change.kind !== 'address-insert') return change;
      return { ...change, updates: change.updates.map((update) => ({ ...update, highHash: WRONG })) };
    });
    return { ...message, update: { ...message.update, changes } };
  });
}

describe('a rebuilt tree', () => {
  let server: TestRedis;
  let redis: Redis;
  let database: TestDatabase;
  let dataSource: DataSource;
  let loads: TreeLoad['kind'][];
  let expected: unknown;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = createTreeRedis({ url: server.url });
    redis.setMaxListeners(0);
    await redis.connect();
    expected = await contentsWithoutForks(
      new ForkedTrees().extend(blocks(30)),
      await InMemoryTreeStore.open(sha256, null),
    );
  });
  afterAll(async () => {
    redis.disconnect();
    await server.drop();
  });
  beforeEach(async () => {
    await redis.flushall();
    database = await createTestDatabase();
    dataSource = await connect({ url: database.url, poolSize: 4, applicationName: 'rebuild' });
    loads = [];
  });
  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const createJournal = () => new PostgresTreeJournal(dataSource, toTreeLog());
  const openRedis = () => new RedisTreeStore(redis, sha256, {}, createJournal(), ({ kind }) => loads.push(kind));
  const openInMemory = () => InMemoryTreeStore.open(sha256, createJournal());

  async function journaled(tree: Pubkey): Promise<TreeHead> {
    const heads = await new PostgresTreeReads(dataSource.manager).listHeads();
    const head = heads.find(({ info }) => info.tree.equals(tree));
    if (!head) throw new Error('the tree is not journaled');
    return head;
  }

  /** Applies the chain to a new store. The tree is quarantined in the middle. */
  async function quarantine(store: TreeStore, type: AddressTreeType): Promise<{ prover: TestProver; tree: Pubkey }> {
    const prover = new TestProver(store, sha256);
    await prover.apply(CHAIN.slice(0, CUT));
    await prover.apply(contradict(CHAIN.slice(CUT), type));
    const { tree } = testAddressTree(type);
    expect(await codeOf(store, tree)).toBe('quarantined');
    return { prover, tree };
  }

  async function codeOf(store: TreeStore, tree: Pubkey): Promise<string | undefined> {
    const [{ head }, slot] = [await store.openTree(tree), await store.findTreeSlot(tree)];
    if (!head || slot === null) return 'unknown';
    return unservableReasonOf(head, slot, false)?.code;
  }

  async function replace(tree: Pubkey, isEmptied = false): Promise<TreeHead> {
    const before = await journaled(tree);
    const reads = new PostgresTreeReads(dataSource.manager);
    const rebuilt = isEmptied
      ? emptiedTree(before, hasher)
      : await rebuildTree(
          before,
          reads.addressChunks(tree),
          await reads.readQueue(before.info, 0n),
          hasher,
          () => undefined,
        );
    await replaceTree(dataSource, before, rebuilt, before.changes.lastSlot);
    expect(await new TreeRepublications(dataSource.manager).list()).toEqual([
      { tree, fromSlot: before.changes.lastSlot, newestId: expect.any(Number) as number },
    ]);
    return rebuilt.head;
  }

  const STORES: [string, () => TreeStore | Promise<TreeStore>][] = [
    ['Redis', openRedis],
    ['memory', openInMemory],
  ];
  for (const [where, open] of STORES) {
    for (const type of ['addressV1', 'addressV2'] as const) {
      for (const isEmptied of [false, true]) {
        const from = isEmptied ? 'from its initial state' : 'from its addresses';
        it(`in ${where} is served once the ignored operations are published again: ${type}, ${from}`, async () => {
          const store = await open();
          const { prover, tree } = await quarantine(store, type);
          await dataSource.query(
            `UPDATE address_tree_pages SET nodes = decode(repeat('07', 960), 'hex') WHERE tree_digest = key_digest($1)`,
            [tree],
          );
          await dataSource.query(
            `UPDATE address_tree_elements SET next_index = 1, next_value = $2 WHERE tree = $1 AND leaf_index = 0`,
            [tree, WRONG],
          );
          const head = await replace(tree, isEmptied);
          expect(await codeOf(store, tree)).toBe('quarantined');
          loads = [];
          // Its commit is refused, and computed again from the tree that the journal has.
          await prover.apply(CHAIN.slice(-1));
          expect((await store.openTree(tree)).head).toEqual(head);
          expect(await codeOf(store, tree)).toBe(isEmptied ? 'history-not-indexed' : 'operations-missing');
          if (where === 'Redis') expect(loads.filter((kind) => kind !== 'equal')).toEqual(['whole']);
          const ignored = CHAIN.slice(isEmptied ? 0 : CUT).filter(isUpdate);
          const half = Math.floor(ignored.length / 2);
          await prover.apply(ignored.slice(0, half));
          expect(await codeOf(store, tree)).toBe('operations-missing');
          await prover.apply(ignored.slice(half));
          expect(await codeOf(store, tree)).toBeUndefined();
          await prover.end();
          expect(withoutChanges(await contentsOfTrees(store))).toEqual(withoutChanges(expected));
          expect(withoutChanges(await contentsOfTrees(await openInMemory()))).toEqual(withoutChanges(expected));
        });
      }
    }
  }

  it('is not stored if the tree has changed since it was read, and fences no writer', async () => {
    const store = openRedis();
    const { prover, tree } = await quarantine(store, 'addressV1');
    const before = await journaled(tree);
    const outdated = { ...before, changes: { ...before.changes, count: before.changes.count - 1 } };
    await expect(replaceTree(dataSource, outdated, emptiedTree(outdated, hasher), SLOT)).rejects.toMatchObject({
      code: 'tree-changed',
    });
    await prover.apply(CHAIN.slice(-1));
    expect(await journaled(tree)).toEqual(before);
    await prover.end();
  });

  it('is as before if the command ends while it writes', async () => {
    const { prover, tree } = await quarantine(openRedis(), 'addressV1');
    await prover.end();
    const before = await contentsOfTrees(await openInMemory());
    const head = await journaled(tree);
    const emptied = emptiedTree(head, hasher);
    const rebuilt = { ...emptied, pages: new Map(emptied.pages).set(2 ** 52, Buffer.alloc(960)) };
    await dataSource.query(`ALTER TABLE address_tree_pages ADD CHECK (page < ${2 ** 52})`);
    await expect(replaceTree(dataSource, head, rebuilt, SLOT)).rejects.toThrow('violates check constraint');
    expect(await contentsOfTrees(await openInMemory())).toEqual(before);
    expect(await new TreeRepublications(dataSource.manager).list()).toEqual([]);
  });

  it('is quarantined again by a fork that reaches below the rebuild, and not by a later one', async () => {
    const store = await openInMemory();
    const { prover, tree } = await quarantine(store, 'addressV1');
    await prover.end();
    await replace(tree);
    const next = new TestProver(await openInMemory(), sha256, { firstOffset: await offsetOf(store) });
    await next.apply(CHAIN.slice(CUT).filter(isUpdate));
    await next.apply([revertOf(CHAIN[CHAIN.length - 1])]);
    expect(await codeOf(next.store, tree)).toBe('operations-missing');
    await next.apply([revertOf(CHAIN[CUT - 4])]);
    expect(await codeOf(next.store, tree)).toBe('quarantined');
    await next.end();
  });
});

/** The revert of the block of an update or a watermark. */
function revertOf(message: TreeUpdatesMessage): TreeUpdatesMessage {
  const { slot, blockhash } = message.kind === 'update' ? message.update : message;
  return { kind: 'slot-reverted', slot, blockhash };
}

/** The number of changes counts the rebuild, and changes that were applied a second time. */
function withoutChanges(contents: unknown): unknown {
  return JSON.parse(JSON.stringify(contents, (key, value: unknown) => (key === 'changes' ? undefined : value)));
}
