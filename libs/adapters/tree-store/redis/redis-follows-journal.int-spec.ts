import { type Pubkey, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeInfo } from '@fresnel/domain/trees';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { contentsOfTrees, contentsWithoutForks, cutAt, expectValidProofs, TestProver } from '@fresnel/testing/prover';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import {
  commitNext,
  ForkedTrees,
  GrowingTree,
  invalidProofs,
  offsetOf,
  sha256,
  testAddress,
  testAddressTree,
} from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { InMemoryTreeJournal } from '../in-memory.tree-journal';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { type TreeJournal } from '../tree-journal';
import { type TreePartition } from '../tree-store';
import { TreeStoreKeys } from './keys';
import * as loadScripts from './load.scripts';
import { createTreeRedis } from './redis-connection';
import { type TreeLoad } from './redis.tree-loader';
import { RedisTreeStore } from './redis.tree-store';
import { type RedisCommands, type Script } from './script-runner';
import * as treeScripts from './tree.scripts';

type ScriptName = keyof typeof treeScripts | keyof typeof loadScripts;
type Call = [command: string, ...args: (string | Buffer)[]];

const SCRIPTS: [string, Script][] = [...Object.entries(treeScripts), ...Object.entries(loadScripts)];
const MOVED = { code: 'tree-moved', isRetryable: true };
const FENCED = { code: 'fenced', isRetryable: false };
const REQUESTED = range(100_000, 100_019).map(testAddress);

let server: TestRedis;
let redis: Redis;
let journal: InMemoryTreeJournal;
let loads: TreeLoad['kind'][];
beforeAll(async () => {
  server = await startTestRedis();
  redis = createTreeRedis({ url: server.url, commandTimeoutMs: 30_000 });
  redis.setMaxListeners(0); // each store of this suite listens
  await redis.connect();
  for (const [, { source }] of SCRIPTS) await redis.script('LOAD', source);
});
beforeEach(async () => {
  await redis.flushall();
  journal = new InMemoryTreeJournal(8);
  loads = [];
});
afterAll(async () => {
  redis.disconnect();
  await server.drop();
});

const openStore = (on: RedisCommands = redis, of: TreeJournal = journal) =>
  new RedisTreeStore(on, sha256, {}, of, ({ kind }) => loads.push(kind));

/** A connection that passes each call to a hook, by the name of its script or command. */
function hooked(hook: (name: string, run: () => Promise<unknown>, call: Call) => Promise<unknown>): RedisCommands {
  return {
    on: () => undefined,
    callBuffer: (...call) => {
      const [command, sha] = call;
      const script = command === 'EVALSHA' ? SCRIPTS.find(([, one]) => one.sha === sha) : undefined;
      return hook(script?.[0] ?? command, () => redis.callBuffer(...call), call);
    },
  };
}

/** Stops whatever reaches it, until it is opened. */
class Barrier {
  private open: () => void = () => undefined;
  private arrive: () => void = () => undefined;
  readonly opened = new Promise<void>((done) => (this.open = done));
  readonly arrived = new Promise<void>((done) => (this.arrive = done));

  async stop(): Promise<void> {
    this.arrive();
    await this.opened;
  }

  release(): void {
    this.open();
  }
}

/** A store that is frozen before it executes a script for the first time. */
function frozenBefore(script: ScriptName): { store: RedisTreeStore; barrier: Barrier } {
  const barrier = new Barrier();
  const connection = hooked(async (name, run) => {
    if (name === script) await barrier.stop();
    return run();
  });
  return { store: openStore(connection), barrier };
}

type Dump = Map<string, Buffer>;

async function dump(): Promise<Dump> {
  const keys = await redis.keys('*');
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return new Map(keys.map((key, at) => [key, values[at]]));
}

/** A failover to a replica that lacks the last writes, of the keys of one node. */
async function failOver(before: Dump, isOfNode: (key: string) => boolean = () => true): Promise<void> {
  for (const key of (await redis.keys('*')).filter(isOfNode)) await redis.del(key);
  for (const [key, value] of before) if (isOfNode(key)) await redis.restore(key, 0, value);
}

describe('trees in Redis', () => {
  const [A, B] = [1, 2].map((first): AddressTreeInfo => {
    const tree = toPubkey(Buffer.alloc(32, first));
    return { ...testAddressTree('addressV1'), tree, queue: tree };
  });
  let trees: Map<Pubkey, GrowingTree>;
  let nextAddress: number;
  beforeEach(() => {
    trees = new Map([A, B].map((info) => [info.tree, new GrowingTree(info, sha256)]));
    nextAddress = 0;
  });

  function grow({ tree }: AddressTreeInfo) {
    const grown = trees.get(tree)?.insert(testAddress(nextAddress++));
    if (!grown) throw new Error('not one of the trees');
    return grown;
  }

  /** Commits a record that inserts an address into some trees. */
  const step = (partition: TreePartition, slot: number, grown: AddressTreeInfo[]) =>
    commitNext(
      partition,
      grown.map((info) => grow(info)),
      { slot: toSlot(slot) },
    );

  /** What readers see of the trees. Each proof must be valid. */
  async function served() {
    const proofs = await Promise.all([A, B].map(({ tree }) => openStore().readProofs(tree, REQUESTED)));
    return proofs.map((found) => {
      expect(found && invalidProofs(found)).toEqual([]);
      return found && { seq: found.head.seq, slot: found.slot, blockhash: found.blockhash };
    });
  }
  const at = (slot: number, insertions: number) => ({
    seq: 3n + 2n * BigInt(insertions),
    slot,
    blockhash: blockhashAt(slot),
  });
  const claim = (store = openStore()) => store.claimPartition(0, 1);
  const isOf = ({ tree }: AddressTreeInfo) => {
    const { state } = new TreeStoreKeys().ofTree(tree);
    return (key: string) => key.startsWith(state.slice(0, -'state'.length));
  };

  it('stay as they are when the commit of a frozen writer arrives after those of others', async () => {
    await step(await claim(), 1, [A, B]);
    const { store, barrier } = frozenBefore('APPLY_ENTRY');
    const zombie = step(await claim(store), 2, [A]);
    const refused = expect(zombie).rejects.toMatchObject(MOVED);
    await barrier.arrived;
    const next = await claim();
    expect(next.offset).toBe(2n);
    await step(next, 3, [A]);
    const before = await dump();
    barrier.release();
    await refused;
    expect(await dump()).toEqual(before);
    expect(await served()).toEqual([at(3, 3), at(3, 1)]);
  });

  it('stay as they are when the mark of a frozen writer arrives after those of others', async () => {
    await step(await claim(), 1, [A, B]);
    const { store, barrier } = frozenBefore('MOVE_MARK');
    const zombie = step(await claim(store), 2, [A]);
    const refused = expect(zombie).rejects.toMatchObject(MOVED);
    await barrier.arrived;
    await step(await claim(), 3, [B]);
    barrier.release();
    await refused;
    expect(await served()).toEqual([at(3, 2), at(3, 2)]);
  });

  it('stay as they are when all commands of earlier commits and loads are executed again, in any order', async () => {
    const calls: Call[] = [];
    const recording = openStore(
      hooked((_, run, call) => {
        calls.push(call);
        return run();
      }),
    );
    const partition = await claim(recording);
    for (const slot of [1, 2, 3]) await step(partition, slot, slot === 2 ? [A] : [A, B]);
    await redis.flushall();
    await claim(recording);
    await step(await claim(), 4, [A, B]);
    const before = await served();
    for (const [command, ...args] of [...calls, ...calls.toReversed()]) await redis.callBuffer(command, ...args);
    expect(await served()).toEqual(before);
    expect(before).toEqual([at(4, 4), at(4, 3)]);
    await (await claim()).check();
    expect(loads.slice(-2)).toEqual(['equal', 'equal']);
  });

  it('get no commit on top of an older entry, after Redis has lost the last commit', async () => {
    const partition = await claim();
    await step(partition, 1, [A, B]);
    const before = await dump();
    await step(partition, 2, [A]);
    const opened = await partition.openTree(A.tree);
    const late = { ...grow(A), on: opened.entry };
    await failOver(before);
    await expect(opened.readPages([0])).rejects.toMatchObject(MOVED);
    const commit = partition.commit({ trees: [late], block: null, to: 3n });
    await expect(commit).rejects.toMatchObject(MOVED);
    expect(await served()).toEqual([at(1, 1), at(1, 1)]);
    expect((await claim()).offset).toBe(3n);
    expect(await served()).toEqual([at(2, 3), at(2, 1)]);
  });

  it('are those of the journal again, after it has lost commits that Redis has', async () => {
    const zombie = await claim();
    await step(zombie, 1, [A, B]);
    await step(zombie, 2, [A]);
    journal.lose(1);
    // The state was on the chain, so it is served until a writer looks.
    expect(await served()).toEqual([at(2, 2), at(2, 1)]);
    const next = await claim();
    expect([next.offset, loads.at(-1)]).toEqual([1n, 'whole']);
    expect(await served()).toEqual([at(1, 1), at(1, 1)]);
    await expect(zombie.check()).rejects.toMatchObject(FENCED);
    await expect(commitNext(zombie, [])).rejects.toMatchObject(FENCED);
  });

  it('are not opened at a commit that the journal has lost, if Redis fails over to it while they are loaded', async () => {
    const first = await claim();
    await step(first, 1, [A]);
    await step(first, 2, [B]);
    const before = await dump();
    journal.lose(1);
    const store = openStore(
      hooked(async (name, run) => {
        const reply = await run();
        if (name === 'DELETE_TREE') await failOver(before);
        return reply;
      }),
    );
    const partition = await claim();
    await failOver(before);
    await expect((await claim(store)).openTree(B.tree)).rejects.toMatchObject(FENCED);
    expect((await partition.openTree(B.tree)).entry).toBeNull();
  });

  it('differ from the journal by their entry, if it has lost a commit and has another one of the same records', async () => {
    const zombie = await claim();
    await step(zombie, 1, [A, B]);
    const lost = await zombie.openTree(A.tree);
    journal.lose(1);
    // Another writer, which has not seen Redis yet, commits other contents with the same offsets.
    trees = new Map([A, B].map((info) => [info.tree, new GrowingTree(info, sha256)]));
    const elsewhere = new RedisTreeStore(redis, sha256, { prefix: 'elsewhere:' }, journal);
    await step(await elsewhere.claimPartition(0, 1), 1, [A, B]);
    const [other, next] = [await elsewhere.openTree(A.tree), await claim()];
    expect(other.entry).not.toBe(lost.entry);
    expect((await next.openTree(A.tree)).entry).toBe(other.entry);
    expect(loads.filter((kind) => kind === 'whole')).toHaveLength(2);
  });

  it('have the slot of the mark only at the entry that it names for them', async () => {
    const partition = await claim();
    await step(partition, 1, [A, B]);
    const before = await dump();
    const { store, barrier } = frozenBefore('MOVE_MARK');
    const writer = await claim(store);
    const committing = step(writer, 2, [A]);
    await barrier.arrived;
    expect(await served()).toEqual([at(2, 2), at(1, 1)]);
    barrier.release();
    await committing;
    expect(await served()).toEqual([at(2, 2), at(2, 1)]);
    await failOver(before, isOf(A));
    expect(await served()).toEqual([at(1, 1), at(2, 1)]);
    expect(await openStore().findTreeSlot(A.tree)).toBe(1);
    await expect(writer.check()).rejects.toMatchObject(FENCED);
    await (await claim()).check();
    expect(await served()).toEqual([at(2, 2), at(2, 1)]);
  });

  it('are not mixed by two loads, nor replaced by the older one, whose keys vanish', async () => {
    const partition = await claim();
    for (const slot of range(1, 40)) await step(partition, slot, [A, B]);
    await redis.flushall();
    const { store, barrier } = frozenBefore('FINISH_LOAD');
    const zombie = claim(store);
    const refused = expect(zombie).rejects.toMatchObject(MOVED);
    await barrier.arrived;
    const chunks = await redis.keys('*:load:*');
    for (const key of chunks) expect(await redis.ttl(key)).toBeGreaterThan(0);
    await step(await claim(), 41, [A, B]);
    barrier.release();
    await refused;
    expect(chunks.length).toBeGreaterThan(0);
    expect((await redis.keys('*:load:*')).sort()).toEqual(chunks.sort());
    for (const key of (await redis.keys('*')).filter((one) => !one.includes(':load:'))) {
      expect(await redis.ttl(key)).toBe(-1);
    }
    expect(await served()).toEqual([at(41, 41), at(41, 41)]);
  });

  it.each(['elements', 'pages', 'undo'])('are not replaced by a load that has lost its %s', async (part) => {
    const updates = new ForkedTrees().extend(range(1, 6).map(() => BLOCK));
    await resume(updates, openStore(), 10);
    await redis.flushall();
    const connection = hooked(async (name, run) => {
      if (name === 'FINISH_LOAD') await redis.del(...(await redis.keys(`*:load:*:${part}`)));
      return run();
    });
    await expect(claim(openStore(connection))).rejects.toMatchObject(MOVED);
    expect(await redis.keys('*:state')).toEqual([]);
    await claim();
    await expectValidProofs(openStore());
  });
});

const BLOCK = { skipped: 1, inserted: 2, queued: 3, batched: 4 };
const blocks = (count: number) => range(1, count).map(() => BLOCK);

/** Applies the records that the journal does not have, in batches of `size`. */
async function resume(chain: ForkedTrees, on: RedisTreeStore, size: number): Promise<void> {
  const from = await offsetOf(openStore());
  const prover = new TestProver(on, sha256, { firstOffset: from });
  for (const batch of cutAt(chain.published.slice(Number(from)), [size])) await prover.apply(batch);
  await prover.end();
}

describe('a prover on Redis', () => {
  const expectedOf = async (chain: ForkedTrees) =>
    contentsWithoutForks(chain, await InMemoryTreeStore.open(sha256, null));

  it.each([
    ['has the trees', false],
    ['is empty', true],
  ])(
    'leaves valid proofs if it is frozen in a claim, while another writer goes on and Redis %s',
    async (_, isEmpty) => {
      const chain = new ForkedTrees().extend(blocks(8));
      await resume(chain, openStore(), 12);
      chain.extend(blocks(12));
      if (isEmpty) await redis.flushall();
      const barrier = new Barrier();
      const slow: TreeJournal = {
        open: () => journal.open(),
        persist: (entry) => journal.persist(entry),
        readTree: (...args) => journal.readTree(...args),
        readPartition: async (...args) => {
          const found = await journal.readPartition(...args);
          await barrier.stop();
          return found;
        },
      };
      const claiming = openStore(redis, slow).claimPartition(0, 1);
      await barrier.arrived;
      await resume(chain, openStore(), 12);
      const expected = await contentsOfTrees(openStore());
      await expectValidProofs(openStore());
      barrier.release();
      await claiming.catch((error: unknown) => {
        expect(error).toMatchObject(MOVED);
      });
      await expectValidProofs(openStore());
      expect(await contentsOfTrees(openStore())).toEqual(expected);
      await openStore().claimPartition(0, 1);
      expect(await contentsOfTrees(openStore())).toEqual(await expectedOf(chain));
    },
  );

  it.each([
    ['before it claims again', false],
    ['before it journals the next batch', true],
  ])('leaves valid proofs if the answer to a batch is lost, and Redis fails over %s', async (_, isLate) => {
    const chain = new ForkedTrees().extend(blocks(8));
    let before: Dump | null = null;
    let isLost = false;
    let hasFailedOver = false;
    const failOverOnce = async () => {
      if (!before || !isLost || hasFailedOver) return;
      hasFailedOver = true;
      await failOver(before);
    };
    const connection = hooked(async (name, run) => {
      const reply = await run();
      if (!before || isLost || name !== 'MOVE_MARK') return reply;
      isLost = true;
      if (!isLate) await failOverOnce();
      throw new Error('Connection is closed.');
    });
    const persist = journal.persist.bind(journal);
    jest.spyOn(journal, 'persist').mockImplementation(async (entry) => {
      await failOverOnce();
      await persist(entry);
    });
    const prover = new TestProver(openStore(connection), sha256);
    await prover.apply(chain.published);
    before = await dump();
    for (const count of [4, 5]) {
      const from = chain.published.length;
      chain.extend(blocks(count));
      await prover.apply(chain.published.slice(from));
      await expectValidProofs(openStore());
    }
    await prover.end();
    expect([isLost, hasFailedOver]).toEqual([true, true]);
    expect(await contentsOfTrees(openStore())).toEqual(await expectedOf(chain));
  });

  it('loads a tree completely or not at all while Redis fails over', async () => {
    const chain = new ForkedTrees().extend(blocks(30));
    await resume(chain, openStore(), 12);
    const expected = await contentsOfTrees(openStore());
    await redis.flushall();
    let before: Dump | null = null;
    let isDone = false;
    const connection = hooked(async (name, run) => {
      if (name === 'LOAD_QUEUE') before ??= await dump();
      if (name === 'FINISH_LOAD' && before && !isDone) {
        isDone = true;
        await failOver(before);
      }
      return run();
    });
    await expect(openStore(connection).claimPartition(0, 1)).rejects.toMatchObject(MOVED);
    await expectValidProofs(openStore());
    await openStore(connection).claimPartition(0, 1);
    expect(await contentsOfTrees(openStore())).toEqual(expected);
  });

  it('changes no tree by a batch of repetitions', async () => {
    const chain = new ForkedTrees().extend(blocks(8));
    await resume(chain, openStore(), 12);
    const store = openStore();
    const entries = async () =>
      Promise.all((await store.claimPartition(0, 1)).trees.map(async (tree) => (await store.openTree(tree)).entry));
    const before = await entries();
    await resume(chain.repeat(range(0, 20)), store, 7);
    expect(await entries()).toEqual(before);
    expect(await offsetOf(store)).toBe(BigInt(chain.published.length));
  });
});
