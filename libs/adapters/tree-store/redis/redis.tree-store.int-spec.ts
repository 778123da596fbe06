import { type Pubkey, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeInfo } from '@fresnel/domain/trees';
import { range } from '@fresnel/testing/chain';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { commitNext, GrowingTree, invalidProofs, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { InMemoryTreeJournal } from '../in-memory.tree-journal';
import { describeTreeStoreContract } from '../tree-store.contract';
import { type TreePartition, type TreeProofs } from '../tree-store';
import { TreeStoreKeys } from './keys';
import { createTreeRedis } from './redis-connection';
import { RedisTreeStore } from './redis.tree-store';

let server: TestRedis;
let connections: Redis[];
let journal: InMemoryTreeJournal;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.drop());
beforeEach(async () => {
  connections = [];
  journal = new InMemoryTreeJournal();
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
const openStore = async () => new RedisTreeStore(await connect(), sha256, {}, journal);

describeTreeStoreContract('RedisTreeStore', async () => ({
  store: await openStore(),
  reopen: openStore,
  close: () => Promise.resolve(),
}));

describe('RedisTreeStore', () => {
  const [A, B] = [1, 2].map((first): AddressTreeInfo => {
    // In partition 0 and in partition 1 of two.
    const tree = toPubkey(Buffer.alloc(32, 2 * first).fill(first - 1, 0, 1));
    return { ...testAddressTree('addressV1'), tree, queue: tree };
  });
  const requested = range(100_000, 100_039).map(testAddress);

  let redis: Redis;
  let store: RedisTreeStore;
  let trees: Map<Pubkey, GrowingTree>;
  let nextAddress: number;
  beforeEach(async () => {
    redis = await connect();
    store = new RedisTreeStore(redis, sha256, {}, journal);
    trees = new Map([A, B].map((info) => [info.tree, new GrowingTree(info, sha256)]));
    nextAddress = 0;
  });

  function grow({ tree }: AddressTreeInfo, count = 1) {
    const grown = trees.get(tree)?.insert(...range(nextAddress, nextAddress + count - 1).map(testAddress));
    nextAddress += count;
    if (!grown) throw new Error('not one of the trees');
    return grown;
  }

  /** Commits a record of a partition, which moves it to a slot. */
  const step = (partition: TreePartition, slot: number, grown: AddressTreeInfo[]) =>
    commitNext(
      partition,
      grown.map((info) => grow(info)),
      { slot: toSlot(slot) },
    );

  function expectTrue(proofs: TreeProofs | null): TreeProofs {
    if (!proofs) throw new Error('no proofs');
    expect(invalidProofs(proofs)).toEqual([]);
    return proofs;
  }

  it('does not see trees with another key prefix or of another topic', async () => {
    await step(await store.claimPartition(0, 1), 0, [A]);
    for (const keyspace of [{ prefix: 'staging:' }, { topicName: 'staging.tree-updates' }]) {
      const other = new RedisTreeStore(redis, sha256, keyspace, new InMemoryTreeJournal());
      expect([await other.findSlot(), await other.readHead(A.tree)]).toEqual([null, null]);
      const claimed = await other.claimPartition(0, 1);
      expect([claimed.offset, claimed.trees]).toEqual([null, []]);
      await step(claimed, 0, [B]);
      expect([await other.readHead(A.tree), await store.readHead(B.tree)]).toEqual([null, null]);
    }
  });

  it('reads proofs from one state while a tree grows continuously', async () => {
    const reader = await openStore();
    const partition = await store.claimPartition(0, 1);
    await step(partition, 0, [A]);
    let isReading = true;
    let written = 0;
    const write = async () => {
      while (isReading) await step(partition, ++written, [A]);
    };
    const writing = write();
    const seen = new Set<bigint>();
    let last = { seq: 0n, slot: -1 };
    for (let request = 0; request < 1_000 || seen.size <= 10; request++) {
      const { head, slot } = expectTrue(await reader.readProofs(A.tree, requested));
      // Record n inserts address n in slot n.
      expect(head.seq).toBe(2n * BigInt(slot) + 5n);
      expect(head.seq >= last.seq).toBe(true);
      last = { seq: head.seq, slot };
      seen.add(head.seq);
    }
    isReading = false;
    await writing;
  });

  it('proves a thousand addresses from one state', async () => {
    const partition = await store.claimPartition(0, 1);
    await commitNext(partition, [grow(A, 500)], { slot: toSlot(0) });
    const thousand = range(100_000, 100_999).map(testAddress);
    const reading = store.readProofs(A.tree, thousand);
    const writing = step(partition, 1, [A]);
    expect(expectTrue(await reading).items).toHaveLength(1_000);
    await writing;
  });

  it('moves the slot of unchanged trees without writing to them', async () => {
    const partition = await store.claimPartition(0, 1);
    await step(partition, 0, [A, B]);
    const { state } = new TreeStoreKeys().ofTree(B.tree);
    const before = await redis.hgetall(state);
    for (const slot of [1, 2, 3]) await step(partition, slot, [A]);
    expect(await redis.hgetall(state)).toEqual(before);
    expect(expectTrue(await store.readProofs(B.tree, requested)).slot).toBe(3);
  });

  it('reads the marks again only if those that it has are older than requested', async () => {
    const partition = await store.claimPartition(0, 1);
    await step(partition, 4, [A]);
    expect(await store.findTreeSlot(A.tree)).toBe(4);
    await step(partition, 5, []);
    expect((await store.readProofs(A.tree, requested, toSlot(4)))?.slot).toBe(4);
    expect((await store.readProofs(A.tree, requested, toSlot(5)))?.slot).toBe(5);
    expect((await store.readProofs(A.tree, requested, toSlot(6)))?.slot).toBe(5);
  });

  it('has the lowest slot of all partitions, and each tree has the slot of its partition', async () => {
    const [one, other] = [await store.claimPartition(0, 2), await store.claimPartition(1, 2)];
    await step(one, 7, [A]);
    expect([await store.findSlot(), await store.findTreeSlot(A.tree)]).toEqual([null, 7]);
    await step(other, 4, [B]);
    expect(await store.findSlot()).toBe(4);
    const slots = [A, B].map(async ({ tree }) => (await store.readProofs(tree, requested))?.slot);
    expect(await Promise.all(slots)).toEqual([7, 4]);
    expect([one.trees, other.trees]).toEqual([[A.tree], [B.tree]]);
  });

  it('follows a topic that gets more partitions', async () => {
    await step(await store.claimPartition(0, 1), 4, [A, B]);
    const [one, other] = [await store.claimPartition(0, 2), await store.claimPartition(1, 2)];
    expect([one.trees, other.trees]).toEqual([[A.tree], [B.tree]]);
    await step(one, 5, [A]);
    await step(other, 6, [B]);
    const slots = [A, B].map(async ({ tree }) => (await store.readProofs(tree, requested))?.slot);
    expect([await store.findSlot(), ...(await Promise.all(slots))]).toEqual([5, 5, 6]);
  });

  it('is empty once all partitions are claimed and have no tree, and not while its trees are lost', async () => {
    expect(await store.isEmpty()).toBe(false);
    await store.claimPartition(0, 2);
    expect(await store.isEmpty()).toBe(false);
    const other = await store.claimPartition(1, 2);
    expect([await store.isEmpty(), await store.findSlot()]).toEqual([true, null]);
    await step(other, 1, [B]);
    expect(await store.isEmpty()).toBe(false);
    await redis.flushall();
    expect(await store.isEmpty()).toBe(false);
  });

  describe('after Redis has lost something', () => {
    const keysOf = ({ tree }: AddressTreeInfo) => {
      const { state, elements, pages, queue, queuedAddresses, inputQueue, undo } = new TreeStoreKeys().ofTree(tree);
      return [state, elements, pages, queue, queuedAddresses, inputQueue, undo];
    };
    const lose: [string, () => Promise<unknown>][] = [
      ['everything', () => redis.flushall()],
      ['a tree', () => redis.del(...keysOf(A))],
      ['the state of a tree', () => redis.del(keysOf(A)[0])],
      ['the pages of a tree', () => redis.del(keysOf(A)[2])],
      ['the elements of a tree', () => redis.del(keysOf(A)[1])],
      ['the marks', () => redis.del(new TreeStoreKeys().marks)],
    ];

    it.each(lose)('that is %s, the writer notices, and the next claim loads it', async (_, act) => {
      const partition = await store.claimPartition(0, 1);
      for (const slot of range(0, 3)) await step(partition, slot, slot % 2 ? [A] : [A, B]);
      const heads = await Promise.all([A, B].map(({ tree }) => store.readHead(tree)));
      await partition.check();
      await act();
      await expect(partition.check()).rejects.toMatchObject({ code: 'fenced' });
      const next = await store.claimPartition(0, 1);
      expect(next.offset).toBe(4n);
      expect(await Promise.all([A, B].map(({ tree }) => store.readHead(tree)))).toEqual(heads);
      await next.check();
      await step(next, 4, [A, B]);
      for (const { tree } of [A, B]) expect(expectTrue(await store.readProofs(tree, requested)).slot).toBe(4);
    });

    it.each(lose)('that is %s, a commit without it is stored in the journal and not in Redis', async (_, act) => {
      const partition = await store.claimPartition(0, 1);
      await step(partition, 0, [A, B]);
      const commit = { ...grow(A), on: (await partition.openTree(A.tree)).entry };
      await act();
      const block = { slot: toSlot(1), blockhash: null };
      await expect(partition.commit({ trees: [commit], block, to: 2n })).rejects.toMatchObject({ code: 'tree-moved' });
      const next = await store.claimPartition(0, 1);
      expect([next.offset, (await next.openTree(A.tree)).head]).toEqual([2n, commit.head]);
      expect(expectTrue(await store.readProofs(A.tree, requested)).slot).toBe(1);
    });

    it('reads an empty store', async () => {
      await step(await store.claimPartition(0, 1), 0, [A]);
      await redis.flushall();
      expect([await store.findSlot(), await store.findTreeSlot(A.tree)]).toEqual([null, null]);
      expect([await store.readHead(A.tree), await store.readProofs(A.tree, requested)]).toEqual([null, null]);
    });

    it.each(['elements', 'pages'] as const)('throws for proofs and reads of a tree without its %s', async (part) => {
      await step(await store.claimPartition(0, 1), 0, [A]);
      const opened = await store.openTree(A.tree);
      await redis.del(new TreeStoreKeys().ofTree(A.tree)[part]);
      const damaged = { code: 'tree-store-damaged', isRetryable: true };
      await expect(store.readProofs(A.tree, requested)).rejects.toMatchObject(damaged);
      await expect(opened.readPages([0])).rejects.toMatchObject(damaged);
      await expect(opened.findLowElements(requested)).rejects.toMatchObject(damaged);
    });
  });
});
