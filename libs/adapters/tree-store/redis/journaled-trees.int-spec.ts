import { connect } from '@fresnel/adapters/store-schema';
import { describeForkedTrees } from '../forked-trees.contract';
import { range } from '@fresnel/testing/chain';
import { contentsOfTrees, contentsWithoutForks, cutAt, expectValidProofs, TestProver } from '@fresnel/testing/prover';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { ForkedTrees, sha256, testAddressTree } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { type Redis } from 'ioredis';
import { type DataSource } from 'typeorm';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { PostgresTreeJournal } from '../postgres.tree-journal';
import { type RedisTreeJournal } from './journaled.tree-commits';
import { dataKeysOf, TreeStoreKeys } from './keys';
import { createTreeRedis } from './redis-connection';
import { type TreeLoad } from './redis.tree-loader';
import { RedisTreeStore } from './redis.tree-store';
import { type RedisCommands } from './script-runner';

jest.setTimeout(600_000);

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
];

async function empty(): Promise<void> {
  await redis.flushall();
  await dataSource.query(`TRUNCATE ${TABLES.join()}, positions`);
  loads = [];
}

function createJournal(persist?: (store: () => Promise<void>) => Promise<void>): RedisTreeJournal {
  const journal = new PostgresTreeJournal(dataSource);
  return {
    open: () => Promise.resolve(),
    claimPosition: (partition) => journal.claimPosition(partition),
    persist: (commit) => (persist ? persist(() => journal.persist(commit)) : journal.persist(commit)),
    readPartition: (partition) => journal.readPartition(partition),
    trees: journal.trees,
    onTree: ({ kind }) => loads.push(kind),
  };
}

const openStore = (on: RedisCommands = redis, journal = createJournal()) => new RedisTreeStore(on, sha256, {}, journal);
const openReference = () => InMemoryTreeStore.open(sha256, null);
const openFromJournal = () => InMemoryTreeStore.open(sha256, new PostgresTreeJournal(dataSource));
const openEmpty = async () => {
  await empty();
  return openStore();
};

describeForkedTrees('Redis with a journal', openEmpty, openReference, { numRuns: 8 });
describeForkedTrees('Redis with a journal, over 3 partitions', openEmpty, openReference, {
  numRuns: 4,
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
  return (await (await openFromJournal()).findPosition(0)) ?? 0n;
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
const LOSSES = ['nothing', 'everything', 'a tree', 'pages', 'partitions', 'rewound', 'trees rewound'] as const;

async function lose(what: (typeof LOSSES)[number], before: Map<string, Buffer>): Promise<void> {
  const tree = new TreeStoreKeys().ofTree(testAddressTree('addressV2').tree);
  if (what === 'everything') await redis.flushall();
  if (what === 'a tree') await redis.del(tree.state, ...dataKeysOf(tree));
  if (what === 'pages') await redis.del(tree.pages);
  if (what === 'partitions') for (const key of await redis.keys('*{partitions}*')) await redis.del(key);
  if (what === 'rewound' || what === 'trees rewound') {
    const isRewound = (key: string) => what === 'rewound' || !key.includes('{partitions}');
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
  const seen = new Set<string>();
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
        for (const kind of loads) seen.add(kind);
        const store = openStore();
        expect(await contentsOfTrees(store)).toEqual(expected);
        await expectValidProofs(store);
        expect(await contentsOfTrees(await openFromJournal())).toEqual(expected);
      },
    ),
    { numRuns: 25 },
  );
  expect(seen).toEqual(new Set(['equal', 'changes', 'whole']));
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
    const { offset } = await store.claimPosition(0, 1);
    expect(offset).toBe(await positionInJournal());
    expect(await store.findPosition(0)).toBe(offset);
    expect(await contentsOfTrees(store)).toEqual(expected);
    const journaled = await openFromJournal();
    expect(await store.readBlocks(0)).toEqual(await journaled.readBlocks(0));
    for (const { info } of await journaled.listHeads()) {
      expect(await store.readUndo(info.tree)).toEqual(await journaled.readUndo(info.tree));
    }
    return loads;
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
    const store = openStore();
    expect(await store.claimPosition(0, 1)).toMatchObject({ offset: 40n });
    expect(loads).toEqual(['whole', 'whole']);
    await resume(chain, openStore(), 20);
    expect(await contentsOfTrees(openStore())).toEqual(expected);
  });

  it('lowers the slots of trees that are ahead of the journal only by blocks without changes', async () => {
    await applyAll(createChain());
    await dataSource.query(`UPDATE tree_partitions SET slot = slot - 5`);
    const [{ slot }] = await dataSource.query<{ slot: string }[]>(`SELECT slot FROM tree_partitions`);
    const store = openStore();
    await store.claimPosition(0, 1);
    const trees = (await store.listHeads()).map(({ info }) => info.tree);
    const slots = await Promise.all(trees.map((tree) => store.findTreeSlot(tree)));
    expect([await store.findSlot(), ...slots]).toEqual([0, ...trees].map(() => Number(slot)));
  });

  it('deletes trees that the journal does not have', async () => {
    await applyAll(createChain());
    await dataSource.query(`TRUNCATE ${TABLES.join()}, positions`);
    const store = openStore();
    expect(await store.claimPosition(0, 1)).toMatchObject({ offset: null });
    expect([await store.listHeads(), await store.findSlot()]).toEqual([[], null]);
    expect(await redis.keys('*:{*}:elements')).toEqual([]);
  });

  it('serves the previous state of a tree until it is replaced', async () => {
    const chain = new ForkedTrees().extend(blocks(8));
    await resume(chain, openStore(), 12);
    const before = await snapshot();
    await applyAll(chain.extend(blocks(60)).appendOrphaned(blocks(2)).extend(blocks(20)));
    await lose('rewound', before);
    let isLoading = true;
    const claiming = openStore()
      .claimPosition(0, 1)
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

describe('a store', () => {
  beforeEach(empty);

  it('is empty once all partitions are claimed, and not while its trees are lost', async () => {
    const store = openStore();
    expect(await store.isEmpty()).toBe(false);
    await store.claimPosition(0, 2);
    expect(await store.isEmpty()).toBe(false);
    await store.claimPosition(1, 2);
    expect([await store.isEmpty(), await store.findSlot()]).toEqual([true, null]);
    await empty();
    await resume(new ForkedTrees().extend(blocks(2)), openStore(), 12);
    expect(await openStore().isEmpty()).toBe(false);
    await redis.flushall();
    expect(await openStore().isEmpty()).toBe(false);
  });
});

describe('a check of the position', () => {
  beforeEach(empty);

  /** A store that has claimed the partition after all records were applied, and its position. */
  async function claimed() {
    await resume(createChain(), openStore(), 20);
    const store = openStore();
    const { offset, epoch } = await store.claimPosition(0, 1);
    return { store, at: { partition: 0, epoch, offset: offset ?? 0n } };
  }

  it('succeeds while Redis has everything', async () => {
    const { store, at } = await claimed();
    await store.checkPosition(at);
  });

  it.each(LOSSES.filter((loss) => loss !== 'nothing'))('fails if Redis has lost: %s', async (loss) => {
    await resume(new ForkedTrees().extend(blocks(4)), openStore(), 12);
    const before = await snapshot();
    await empty();
    const { store, at } = await claimed();
    await lose(loss, before);
    await expect(store.checkPosition(at)).rejects.toMatchObject({ code: 'fenced' });
  });

  it('fails if another writer has claimed the partition', async () => {
    const { store, at } = await claimed();
    await openStore().claimPosition(0, 1);
    await expect(store.checkPosition(at)).rejects.toMatchObject({ code: 'fenced' });
  });
});

describe('two writers', () => {
  beforeEach(empty);

  it('are fenced in the journal and in Redis by the last claim, and the fenced one stores nothing', async () => {
    const chain = createChain();
    const one = new TestProver(openStore(), sha256);
    await one.apply(chain.published.slice(0, 20));
    const other = openStore();
    const { offset } = await other.claimPosition(0, 1);
    const before = [await contentsOfTrees(other), await contentsOfTrees(await openFromJournal())];
    await expect(one.apply(chain.published.slice(20, 40))).rejects.toMatchObject({ code: 'fenced' });
    expect([await contentsOfTrees(other), await contentsOfTrees(await openFromJournal())]).toEqual(before);
    expect([offset, await positionInJournal()]).toEqual([20n, 20n]);
  });

  it('end with the contents of one if their commits and claims interleave', async () => {
    const chain = createChain();
    const expected = await contentsWithoutForks(chain, await openReference());
    const run = async (size: number) => {
      for (let round = 0; round < 10; round++) {
        await resume(chain, openStore(), size).catch((error: unknown) => {
          // The log of this writer may end before the position of the other one.
          expect(['fenced', 'offset-out-of-range']).toContain((error as { code: string }).code);
        });
      }
    };
    await Promise.all([run(7), run(11)]);
    await resume(chain, openStore(), 50);
    await openStore().claimPosition(0, 1);
    expect(await contentsOfTrees(openStore())).toEqual(expected);
    expect(await contentsOfTrees(await openFromJournal())).toEqual(expected);
  });

  it('do not journal what was computed from a Redis that has lost its data since', async () => {
    const chain = createChain();
    const prover = new TestProver(openStore(), sha256);
    await prover.apply(chain.published.slice(0, 20));
    const journaled = await contentsOfTrees(await openFromJournal());
    await redis.flushall();
    await expect(prover.apply(chain.published.slice(20, 40))).rejects.toMatchObject({ code: 'fenced' });
    expect(await contentsOfTrees(await openFromJournal())).toEqual(journaled);
  });
});
