import { type Pubkey, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeInfo } from '@fresnel/domain/trees';
import { describeTreeStoreContract } from '../tree-store.contract';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { GrowingTree, sha256, testAddress, testAddressTree, invalidProofs } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { type TreeProofs, type TreeStoreCommit } from '../tree-store';
import { TreeStoreKeys } from './keys';
import { createTreeRedis } from './redis-connection';
import { RedisTreeStore } from './redis.tree-store';

let server: TestRedis;
let connections: Redis[];
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.drop());
beforeEach(async () => {
  connections = [];
  await (await connect()).flushall();
});
afterEach(() => {
  for (const redis of connections) redis.disconnect();
});

async function connect(): Promise<Redis> {
  const redis = createTreeRedis({ url: server.url, commandTimeoutMs: 30_000 });
  connections.push(redis);
  await redis.connect();
  return redis;
}

/** Opens a store with its own connection, like another process. */
const openStore = async () => new RedisTreeStore(await connect(), sha256);

describeTreeStoreContract('RedisTreeStore', async () => ({
  store: await openStore(),
  reopen: openStore,
  close: () => Promise.resolve(),
}));

describe('RedisTreeStore', () => {
  const [A, B] = [1, 2].map((first): AddressTreeInfo => {
    const tree = toPubkey(Buffer.alloc(32, first));
    return { ...testAddressTree('addressV1'), tree, queue: tree };
  });
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  const requested = range(100_000, 100_040).map(testAddress);

  let redis: Redis;
  let store: RedisTreeStore;
  let trees: Map<Pubkey, GrowingTree>;
  let nextAddress: number;
  beforeEach(async () => {
    redis = await connect();
    store = new RedisTreeStore(redis, sha256);
    trees = new Map([A, B].map((info) => [info.tree, new GrowingTree(info, sha256)]));
    nextAddress = 0;
  });

  function grow({ tree }: AddressTreeInfo, count = 1) {
    const grown = trees.get(tree)?.insert(...range(nextAddress, nextAddress + count).map(testAddress));
    nextAddress += count;
    if (!grown) throw new Error('not one of the trees');
    return grown;
  }

  it('does not see trees with another key prefix or of another topic', async () => {
    const others = [{ prefix: 'staging:' }, { topicName: 'staging.tree-updates' }].map(
      (keyspace) => new RedisTreeStore(redis, sha256, keyspace),
    );
    const { epoch } = await store.claimPosition(0, 1);
    await store.commit(step(epoch, 0, [A]));
    for (const other of others) {
      expect(await other.listHeads()).toEqual([]);
      expect(await other.findSlot()).toBeNull();
      const claimed = await other.claimPosition(0, 1);
      expect(claimed.offset).toBeNull();
      await other.commit(step(claimed.epoch, 0, [B]));
      expect((await other.listHeads()).map(({ info }) => info.tree)).toEqual([B.tree]);
    }
    expect((await store.listHeads()).map(({ info }) => info.tree)).toEqual([A.tree]);
    expect(await store.claimPosition(0, 1)).toMatchObject({ offset: 1n });
  });

  /** The commit of record `at` of a partition. It moves the partition to slot `at`. */
  const step = (epoch: bigint, at: number, grown: AddressTreeInfo[], partition = 0): TreeStoreCommit => ({
    trees: grown.map((info) => grow(info)),
    slot: toSlot(at),
    position: { partition, epoch, from: BigInt(at), to: BigInt(at + 1) },
  });

  function expectTrue(proofs: TreeProofs | null): TreeProofs {
    if (!proofs) throw new Error('no proofs');
    expect(invalidProofs(proofs)).toEqual([]);
    return proofs;
  }

  const stateOf = (of: RedisTreeStore) =>
    Promise.all([...[A, B].map(({ tree }) => of.readProofs(tree, requested)), of.findSlot(), of.findPosition(0)]);

  it('reads proofs from one state while a tree grows continuously', async () => {
    const reader = await openStore();
    const { epoch } = await store.claimPosition(0, 1);
    await store.commit(step(epoch, 0, [A]));
    let isReading = true;
    let written = 0;
    const write = async () => {
      while (isReading) await store.commit(step(epoch, ++written, [A]));
    };
    const writing = write();
    const seen = new Set<bigint>();
    let last = { seq: 0n, slot: -1 };
    for (let request = 0; request < 1_000; request++) {
      const { head, slot } = expectTrue(await reader.readProofs(A.tree, requested));
      // Record n inserts address n in slot n.
      expect(head.seq).toBe(2n * BigInt(slot) + 5n);
      expect(head.seq >= last.seq).toBe(true);
      last = { seq: head.seq, slot };
      seen.add(head.seq);
    }
    isReading = false;
    await writing;
    expect(seen.size).toBeGreaterThan(10);
  });

  it('proves a thousand addresses from one state', async () => {
    const { epoch } = await store.claimPosition(0, 1);
    await store.commit({ ...step(epoch, 0, []), trees: [grow(A, 500)] });
    const thousand = range(100_000, 101_000).map(testAddress);
    const reading = store.readProofs(A.tree, thousand);
    const writing = store.commit(step(epoch, 1, [A]));
    expect(expectTrue(await reading).items).toHaveLength(1_000);
    await writing;
  });

  it('moves the slot of unchanged trees', async () => {
    const { epoch } = await store.claimPosition(0, 1);
    await store.commit(step(epoch, 0, [A, B]));
    for (const at of [1, 2, 3]) await store.commit(step(epoch, at, [A]));
    expect(expectTrue(await store.readProofs(B.tree, requested)).slot).toBe(3);
  });

  it('has the lowest slot of all partitions, and each tree has the slot of its partition', async () => {
    const [one, other] = [await store.claimPosition(0, 2), await store.claimPosition(1, 2)];
    await store.commit(step(one.epoch, 7, [A]));
    expect([await store.findSlot(), await store.findTreeSlot(A.tree)]).toEqual([null, 7]);
    await store.commit(step(other.epoch, 4, [B], 1));
    expect(await store.findSlot()).toBe(4);
    const slots = [A, B].map(async ({ tree }) => (await store.readProofs(tree, requested))?.slot);
    expect(await Promise.all(slots)).toEqual([7, 4]);
    expect((await store.listHeads()).map(({ info }) => info.tree[0]).sort()).toEqual([1, 2]);
  });

  describe('a fenced writer', () => {
    it('changes no tree, also if it was fenced during a commit', async () => {
      const zombie = await store.claimPosition(0, 1);
      await store.commit(step(zombie.epoch, 0, [A]));
      const late = step(zombie.epoch, 1, [A, B]);
      const next = await openStore();
      // Its check of the position still succeeds. Then it is delayed until another writer has claimed the partition.
      const claimed = await interrupt('write', late, () => next.claimPosition(0, 1));
      expect(claimed.offset).toBe(1n);
      expect((await store.findHead(A.tree))?.seq).toBe(5n);
      expect(await store.findHead(B.tree)).toBeNull();
      expect(await store.findPosition(0)).toBe(1n);
    });

    it('cannot add a tree', async () => {
      const zombie = await store.claimPosition(0, 1);
      await interrupt('fence', step(zombie.epoch, 0, [B]), async () => (await openStore()).claimPosition(0, 1));
      expect([await store.findHead(B.tree), await store.listHeads(), await store.findSlot()]).toEqual([null, [], null]);
    });
  });

  /** Runs a commit up to its first fence or write, runs `act`, and expects that the commit is fenced. */
  async function interrupt<Result>(before: 'fence' | 'write', commit: TreeStoreCommit, act: () => Promise<Result>) {
    const keys = await connect();
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((done) => (arrive = done));
    let release = (): void => undefined;
    const released = new Promise<void>((done) => (release = done));
    const interrupted = new RedisTreeStore(
      {
        on: () => undefined,
        callBuffer: async (command, ...args) => {
          // Scripts that change a tree have seven keys. The fence has two arguments.
          const isTree = args[1] === '7';
          const isFence = isTree && args.length === 11;
          if (isTree && isFence === (before === 'fence')) {
            arrive();
            await released;
          }
          return keys.callBuffer(command, ...args);
        },
      },
      sha256,
    );
    const fenced = expect(interrupted.commit(commit)).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
    await arrived;
    const result = await act();
    release();
    await fenced;
    return result;
  }

  it('retries a commit that was interrupted between two trees, with the same result', async () => {
    const { epoch } = await store.claimPosition(0, 1);
    await store.commit(step(epoch, 0, [A, B]));
    const commit = step(epoch, 1, [A, B]);
    const broken = new RedisTreeStore(
      {
        on: () => undefined,
        callBuffer: (command, ...args) => {
          const isWriteOfB = String(args[2]).includes('{8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR}');
          return isWriteOfB ? Promise.reject(new Error('connection broken')) : redis.callBuffer(command, ...args);
        },
      },
      sha256,
    );
    await expect(broken.commit(commit)).rejects.toMatchObject({ code: 'tree-store-unavailable', isRetryable: true });
    expect((await store.findHead(A.tree))?.seq).toBe(commit.trees[0].head.seq);
    expect((await store.findHead(B.tree))?.seq).toBe(3n + 2n);
    expect([await store.findPosition(0), await store.findSlot()]).toEqual([1n, 0]);
    for (const { tree } of [A, B]) expectTrue(await store.readProofs(tree, requested));

    const claimed = await (await openStore()).claimPosition(0, 1);
    expect(claimed.offset).toBe(1n);
    await store.commit({ ...commit, position: { partition: 0, epoch: claimed.epoch, from: 1n, to: 2n } });
    expect([await store.findPosition(0), await store.findSlot()]).toEqual([2n, 1]);
    const heads = await Promise.all([A, B].map(({ tree }) => store.findHead(tree)));
    expect(heads).toEqual(commit.trees.map(({ head }) => head));
    for (const { tree } of [A, B]) expect(expectTrue(await store.readProofs(tree, requested)).slot).toBe(1);
  });

  it('ignores delayed requests of earlier commits', async () => {
    const { epoch } = await store.claimPosition(0, 1);
    const [first, second] = [step(epoch, 0, [A]), step(epoch, 1, [A])];
    const calls: [string, ...(string | Buffer)[]][] = [];
    const recording = new RedisTreeStore(
      {
        on: () => undefined,
        callBuffer: (command, ...args) => {
          calls.push([command, ...args]);
          return redis.callBuffer(command, ...args);
        },
      },
      sha256,
    );
    await recording.commit(first);
    await store.commit(second);
    const before = await stateOf(store);
    for (const [command, ...args] of calls) await redis.callBuffer(command, ...args).catch(() => undefined);
    expect(await stateOf(store)).toEqual(before);
  });

  describe('after Redis has lost something', () => {
    const lose: [string, () => Promise<unknown>][] = [
      ['everything', () => redis.flushall()],
      ['a tree', () => redis.del(...keysOf(A))],
      ['the pages of a tree', () => redis.del(keysOf(A)[2])],
      ['the elements of a tree', () => redis.del(keysOf(A)[1])],
      ['everything about partitions', async () => redis.del(...(await redis.keys('*{partitions}*')))],
    ];
    const keysOf = ({ tree }: AddressTreeInfo) => {
      const { state, elements, pages, queue, queuedAddresses, inputQueue, undo } = new TreeStoreKeys().ofTree(tree);
      return [state, elements, pages, queue, queuedAddresses, inputQueue, undo];
    };

    it.each(lose)('that is %s, the writer is fenced, and the next claim starts from the beginning', async (_, act) => {
      const writer = await store.claimPosition(0, 1);
      const history = range(0, 6).map((at) => step(writer.epoch, at, at % 2 ? [A] : [A, B]));
      for (const commit of history.slice(0, 4)) await store.commit(commit);
      await act();
      await expect(store.commit(history[4])).rejects.toMatchObject({ code: 'fenced' });
      const { offset, epoch } = await store.claimPosition(0, 1);
      expect(offset).toBeNull();
      expect(epoch > writer.epoch).toBe(true);
      expect(await store.findSlot()).toBeNull();
      await expect(store.commit(history[4])).rejects.toMatchObject({ code: 'fenced' });
      for (const commit of history) {
        if (commit.position) await store.commit({ ...commit, position: { ...commit.position, epoch } });
        for (const { tree } of [A, B]) {
          const proofs = await store.readProofs(tree, requested);
          if (proofs) expectTrue(proofs);
        }
      }
      expect([await store.findSlot(), await store.findPosition(0)]).toEqual([5, 6n]);
      const heads = await Promise.all([A, B].map(({ tree }) => store.findHead(tree)));
      expect(heads).toEqual([history[5].trees[0].head, history[4].trees[1].head]);
    });

    it('reads an empty store', async () => {
      const { epoch } = await store.claimPosition(0, 1);
      await store.commit(step(epoch, 0, [A]));
      await redis.flushall();
      expect([await store.findSlot(), await store.findPosition(0), await store.listHeads()]).toEqual([null, null, []]);
      expect([await store.findHead(A.tree), await store.readProofs(A.tree, requested)]).toEqual([null, null]);
    });

    it.each(['elements', 'pages'] as const)('throws for proofs of a tree without its %s', async (part) => {
      const { epoch } = await store.claimPosition(0, 1);
      await store.commit(step(epoch, 0, [A]));
      await redis.del(new TreeStoreKeys().ofTree(A.tree)[part]);
      await expect(store.readProofs(A.tree, requested)).rejects.toMatchObject({ code: 'tree-store-damaged' });
    });

    it('writes nothing of a commit if all data are lost during it', async () => {
      const { epoch } = await store.claimPosition(0, 1);
      await store.commit(step(epoch, 0, [A]));
      await interrupt('write', step(epoch, 1, [A, B]), () => redis.flushall());
      expect(await redis.keys('*')).toEqual([]);
    });
  });
});
