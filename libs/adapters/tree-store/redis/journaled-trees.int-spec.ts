import { connect } from '@fresnel/adapters/store-schema';
import { toSlot } from '@fresnel/domain/primitives';
import { describeForkedTrees } from '../forked-trees.contract';
import { range } from '@fresnel/testing/chain';
import { contentsOfTrees, contentsWithoutForks, cutAt, expectValidProofs, TestProver } from '@fresnel/testing/prover';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { ForkedTrees, offsetOf, sha256, testAddressTree } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { type Redis } from 'ioredis';
import { type DataSource } from 'typeorm';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { PostgresTreeJournal } from '../postgres.tree-journal';
import { toTreeLog, type TreeJournal } from '../tree-journal';
import { dataKeysOf, TreeStoreKeys } from './keys';
import { createTreeRedis } from './redis-connection';
import { type TreeLoad } from './redis.tree-loader';
import { RedisTreeStore } from './redis.tree-store';
import { type RedisCommands } from './script-runner';

let server: TestRedis;
let redis: Redis;
let database: TestDatabase;
let dataSource: DataSource;
let loads: TreeLoad['kind'][] = [];
beforeAll(async () => {
  server = await startTestRedis();
  redis = createTreeRedis({ url: server.url, commandTimeoutMs: 30_000 });
  redis.setMaxListeners(0); // each store of this suite listens
  await redis.connect();
  database = await createTestDatabase();
  dataSource = await connect({ url: database.url, poolSize: 4, applicationName: 'journal' });
});
afterAll(async () => {
  redis.disconnect();
  await dataSource.destroy();
  await database.drop();
  await server.drop();
});

const TABLES = [
  ...['s', '_elements', '_pages', '_queue', '_undo'].map((part) => `address_tree${part}`),
  ...['s', '_pages', '_queue', '_undo'].map((part) => `state_tree${part}`),
  'tree_partitions',
  'tree_log',
];

async function empty(): Promise<void> {
  await redis.flushall();
  await dataSource.query(`TRUNCATE ${TABLES.join()}, positions`);
  loads = [];
}

function createJournal(persist?: (store: () => Promise<void>) => Promise<void>): TreeJournal {
  const journal = new PostgresTreeJournal(dataSource, toTreeLog());
  return {
    open: () => Promise.resolve(),
    persist: (entry) => (persist ? persist(() => journal.persist(entry)) : journal.persist(entry)),
    readPartition: (...args) => journal.readPartition(...args),
    readTree: (...args) => journal.readTree(...args),
  };
}

const openStore = (on: RedisCommands = redis, journal = createJournal()) =>
  new RedisTreeStore(on, sha256, {}, journal, ({ kind }) => loads.push(kind));
const openReference = () => InMemoryTreeStore.open(sha256, null);
const openFromJournal = () => InMemoryTreeStore.open(sha256, new PostgresTreeJournal(dataSource, toTreeLog()));
const openEmpty = async () => {
  await empty();
  return openStore();
};

describeForkedTrees('Redis with a journal', openEmpty, openReference, { numRuns: 4 });
describeForkedTrees('Redis with a journal, over 3 partitions', openEmpty, openReference, {
  numRuns: 2,
  partitionCount: 3,
});

const block = { skipped: 1, inserted: 2, queued: 3, batched: 4 };
const blocks = (count: number) => range(1, count).map(() => block);

/** A long chain with two forks and many duplicates. */
function createChain(): ForkedTrees {
  const chain = new ForkedTrees().extend(blocks(4)).appendOrphaned(blocks(6)).repeat([9, 12, 15]).extend(blocks(5));
  return chain.appendOrphaned(blocks(3)).extend(blocks(4)).repeat(range(0, 60));
}

/** The records of the journal's position and later: older ones are deleted from the log. */
async function positionInJournal(): Promise<bigint> {
  return offsetOf(await openFromJournal());
}

/** Applies what is missing, in batches of `size`, or until `broken` resolves. */
async function resume(chain: ForkedTrees, on: RedisTreeStore, size: number, broken?: Promise<void>): Promise<void> {
  const from = await positionInJournal();
  const prover = new TestProver(on, sha256, { firstOffset: from });
  const working = (async () => {
    for (const batch of cutAt(chain.published.slice(Number(from)), [size])) await prover.apply(batch);
  })();
  await Promise.race([working, ...(broken ? [broken] : [])]);
  const ended = prover.end();
  if (broken) await Promise.allSettled([working, ended]);
  else await ended;
}

/** A failure that ends a writer. */
interface Kill {
  /** The connection to Redis breaks after this many commands, or the journal after this many commits. */
  of: 'Redis' | 'journal';
  after: number;
  /** Whether the last command or commit is done, and only its response is lost. */
  isLastDone: boolean;
}

/** A store whose connections break, and a promise that resolves when they do. */
function breakingStore({ of, after, isLastDone }: Kill): { store: RedisTreeStore; broken: Promise<void> } {
  let resolveBroken = (): void => undefined;
  const broken = new Promise<void>((done) => (resolveBroken = done));
  let remaining = after;
  const breaking = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    remaining--;
    if (remaining > 0) return act();
    if (remaining === 0 && isLastDone) await act();
    resolveBroken();
    throw new Error('connection broken');
  };
  const connection: RedisCommands = {
    on: () => undefined,
    callBuffer: (command, ...args) =>
      of === 'Redis' ? breaking(() => redis.callBuffer(command, ...args)) : redis.callBuffer(command, ...args),
  };
  const journal = of === 'journal' ? createJournal(breaking) : createJournal();
  return { store: openStore(connection, journal), broken };
}

/** Everything in Redis. */
async function snapshot(): Promise<Map<string, Buffer>> {
  const keys = await redis.keys('*');
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return new Map(keys.map((key, at) => [key, values[at]]));
}

/**
 * What Redis loses while no writer runs. `rewound` is a failover to a replica that misses the last commits, `trees rewound` one
 * of a node of a cluster.
 */
const LOSSES = ['nothing', 'everything', 'a tree', 'pages', 'marks', 'rewound', 'trees rewound'] as const;

async function lose(what: (typeof LOSSES)[number], before: Map<string, Buffer>): Promise<void> {
  const tree = new TreeStoreKeys().ofTree(testAddressTree('addressV2').tree);
  if (what === 'everything') await redis.flushall();
  if (what === 'a tree') await redis.del(tree.state, ...dataKeysOf(tree));
  if (what === 'pages') await redis.del(tree.pages);
  if (what === 'marks') await redis.del(new TreeStoreKeys().marks);
  if (what === 'rewound' || what === 'trees rewound') {
    const isRewound = (key: string) => what === 'rewound' || !key.endsWith(':marks');
    for (const key of (await redis.keys('*')).filter(isRewound)) await redis.del(key);
    for (const [key, value] of before) if (isRewound(key)) await redis.restore(key, 0, value);
  }
}

const anyKill: fc.Arbitrary<Kill> = fc.oneof(
  fc.record({ of: fc.constant('Redis' as const), after: fc.integer({ min: 1, max: 80 }), isLastDone: fc.boolean() }),
  fc.record({ of: fc.constant('journal' as const), after: fc.integer({ min: 1, max: 6 }), isLastDone: fc.boolean() }),
);
const anyFailure = fc.record({
  kill: anyKill,
  size: fc.integer({ min: 1, max: 50 }),
  loss: fc.constantFrom(...LOSSES),
});

it('a prover that is killed anywhere, and whose Redis loses anything, resumes without old records', async () => {
  const chain = createChain();
  const expected = await contentsWithoutForks(chain, await openReference());
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFailure, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 50 }),
      async (failures, last) => {
        await empty();
        for (const { kill, size, loss } of failures) {
          const before = await snapshot();
          const { store, broken } = breakingStore(kill);
          await resume(chain, store, size, broken);
          await lose(loss, before);
        }
        await resume(chain, openStore(), last);
        const store = openStore();
        expect(await contentsOfTrees(store)).toEqual(expected);
        await expectValidProofs(store);
        expect(await contentsOfTrees(await openFromJournal())).toEqual(expected);
      },
    ),
    { numRuns: 4 },
  );
});

describe('a claim', () => {
  beforeEach(empty);

  async function applyAll(chain: ForkedTrees): Promise<unknown> {
    await resume(chain, openStore(), 20);
    loads = [];
    return contentsOfTrees(openStore());
  }

  /** Claims the partition, and expects that Redis has the contents again. */
  async function claim(expected: unknown): Promise<TreeLoad['kind'][]> {
    const store = openStore();
    const claimed = await store.claimPartition(0, 1);
    const journaled = await (await openFromJournal()).claimPartition(0, 1);
    expect([claimed.offset, claimed.blocks]).toEqual([journaled.offset, journaled.blocks]);
    const found = [...loads];
    expect(await contentsOfTrees(store)).toEqual(expected);
    for (const tree of journaled.trees) {
      const [inRedis, stored] = [await claimed.openTree(tree), await journaled.openTree(tree)];
      expect([inRedis.entry, await inRedis.readUndo()]).toEqual([stored.entry, await stored.readUndo()]);
    }
    return found;
  }

  it('changes nothing if Redis is equal to the journal', async () => {
    const expected = await applyAll(createChain());
    expect(await claim(expected)).toEqual(['equal', 'equal']);
  });

  it('loads all trees into an empty Redis, and reads no record', async () => {
    const expected = await applyAll(createChain());
    await redis.flushall();
    expect(await claim(expected)).toEqual(['whole', 'whole']);
  });

  it('copies the last changes if Redis lacks a commit that the journal has', async () => {
    const chain = new ForkedTrees().extend(blocks(8));
    await resume(chain, openStore(), 12);
    const before = await snapshot();
    chain.extend(blocks(2));
    const expected = await applyAll(chain);
    await lose('rewound', before);
    expect(await claim(expected)).toEqual(['changes', 'changes']);
  });

  it('loads whole trees if Redis is on a branch that the journal has reverted', async () => {
    const chain = new ForkedTrees().extend(blocks(3)).appendOrphaned(blocks(2));
    const orphaned = chain.published.slice(0, -2);
    const prover = new TestProver(openStore(), sha256);
    await prover.apply(orphaned);
    await prover.end();
    const before = await snapshot();
    const expected = await applyAll(chain.extend(blocks(4)));
    await lose('rewound', before);
    expect(await claim(expected)).toEqual(['whole', 'whole']);
  });

  it('loads whole trees if Redis is ahead of the journal, as after a restored backup', async () => {
    const chain = createChain();
    const expected = await applyAll(chain);
    const ahead = await snapshot();
    await empty();
    await resume(Object.assign(new ForkedTrees(), { published: chain.published.slice(0, 40) }), openStore(), 20);
    await lose('rewound', ahead);
    loads = [];
    expect((await openStore().claimPartition(0, 1)).offset).toBe(40n);
    expect(loads).toEqual(['whole', 'whole']);
    await resume(chain, openStore(), 20);
    expect(await contentsOfTrees(openStore())).toEqual(expected);
  });

  it('goes back to the slot of the journal if only blocks without changes are lost', async () => {
    const chain = new ForkedTrees().extend(blocks(4));
    await resume(chain, openStore(), 20);
    const rows = await dataSource.query<object[]>(`SELECT * FROM tree_partitions, positions`);
    const partition = await openStore().claimPartition(0, 1);
    const before = partition.block;
    const block = { slot: toSlot((before?.slot ?? 0) + 5), blockhash: null };
    await partition.commit({ trees: [], block, to: (partition.offset ?? 0n) + 1n });
    const [tree] = partition.trees;
    const store = openStore();
    expect(await store.findTreeSlot(tree)).toBe(block.slot);
    const [{ entry, slot, blockhash, next_offset: offset }] = rows as Record<string, unknown>[];
    await dataSource.query(`UPDATE tree_partitions SET entry = $1, slot = $2, blockhash = $3`, [
      entry,
      slot,
      blockhash,
    ]);
    await dataSource.query(`UPDATE positions SET next_offset = $1`, [offset]);
    loads = [];
    await store.claimPartition(0, 1);
    expect(loads).toEqual(['equal', 'equal']);
    expect([await store.findTreeSlot(tree), await store.findSlot()]).toEqual([before?.slot, before?.slot]);
  });

  it('deletes trees that the journal does not have', async () => {
    await applyAll(createChain());
    await dataSource.query(`TRUNCATE ${TABLES.join()}, positions`);
    const store = openStore();
    expect(await store.claimPartition(0, 1)).toMatchObject({ offset: null, trees: [] });
    expect([loads, await store.findSlot()]).toEqual([['deleted', 'deleted'], null]);
    expect(await redis.keys('*:{*}:*')).toEqual([]);
  });

  it('serves the previous state of a tree until it is replaced', async () => {
    const chain = new ForkedTrees().extend(blocks(8));
    await resume(chain, openStore(), 12);
    const before = await snapshot();
    await applyAll(chain.extend(blocks(60)).appendOrphaned(blocks(2)).extend(blocks(20)));
    await lose('rewound', before);
    let isLoading = true;
    const claiming = openStore()
      .claimPartition(0, 1)
      .finally(() => (isLoading = false));
    let reads = 0;
    while (isLoading) {
      await expectValidProofs(openStore());
      reads++;
    }
    await claiming;
    expect(reads).toBeGreaterThan(0);
  });
});

describe('two writers', () => {
  beforeEach(empty);

  it('end with the contents of one if their commits and claims interleave', async () => {
    const chain = createChain();
    const expected = await contentsWithoutForks(chain, await openReference());
    const run = async (size: number) => {
      for (let round = 0; round < 10; round++) {
        await resume(chain, openStore(), size).catch((error: unknown) => {
          // The log of this writer may end before the position of the other one.
          expect(['fenced', 'offset-out-of-range', 'tree-moved']).toContain((error as { code: string }).code);
        });
      }
    };
    await Promise.all([run(7), run(11)]);
    await resume(chain, openStore(), 50);
    await openStore().claimPartition(0, 1);
    expect(await contentsOfTrees(openStore())).toEqual(expected);
    expect(await contentsOfTrees(await openFromJournal())).toEqual(expected);
  });
});
