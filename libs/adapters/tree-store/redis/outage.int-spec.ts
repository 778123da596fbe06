import { toSlot } from '@fresnel/domain/primitives';
import { TcpLink } from '@fresnel/testing/generic';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { GrowingTree, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { createTreeRedis } from './redis-connection';
import { RedisTreeStore } from './redis.tree-store';

const UNAVAILABLE = { code: 'tree-store-unavailable', isRetryable: true };

describe('RedisTreeStore while Redis is unavailable', () => {
  let server: TestRedis;
  let link: TcpLink;
  let redis: Redis;
  let store: RedisTreeStore;
  let growing: GrowingTree;
  beforeEach(async () => {
    server = await startTestRedis();
    link = await TcpLink.to(server.url);
    redis = createTreeRedis({ url: link.url, commandTimeoutMs: 500 });
    store = new RedisTreeStore(redis, sha256);
    await redis.connect();
    growing = new GrowingTree(info, sha256);
  });
  afterEach(async () => {
    redis.disconnect();
    await link.cut();
    await server.drop();
  });

  const info = testAddressTree('addressV1');
  const commitOf = (epoch: bigint, at: number) => ({
    trees: [growing.insert(testAddress(at))],
    slot: toSlot(at),
    position: { partition: 0, epoch, from: BigInt(at), to: BigInt(at + 1) },
  });
  const everyCall = () => [
    store.findSlot(),
    store.findPosition(0),
    store.claimPosition(0, 1),
    store.listHeads(),
    store.findHead(info.tree),
    store.findLowElements(info.tree, [testAddress(1)]),
    store.readPages(info.tree, [0]),
    store.readQueue(info.tree, 0n, 1n),
    store.readProofs(info.tree, [testAddress(1)]),
    store.commit({ trees: [], slot: null, position: null }),
  ];

  /** Resolves when Redis responds again. The time limit is that of the test. */
  async function waitForRedis(): Promise<void> {
    while (
      !(await store.findSlot().then(
        () => true,
        () => false,
      ))
    )
      await new Promise(setImmediate);
  }

  it('throws a retryable error at every call, and recovers without help', async () => {
    const { epoch } = await store.claimPosition(0, 1);
    await store.commit(commitOf(epoch, 0));
    await link.cut();
    for (const call of await Promise.allSettled(everyCall())) expect(call).toMatchObject({ reason: UNAVAILABLE });
    await link.restore();
    await waitForRedis();
    expect(await store.findHead(info.tree)).toMatchObject({ seq: 5n });
    await store.commit(commitOf(epoch, 1));
    expect([await store.findSlot(), await store.findPosition(0)]).toEqual([1, 2n]);
  });

  it('does not wait for a server that does not respond', async () => {
    const admin = createTreeRedis({ url: server.url });
    await admin.connect();
    await admin.call('CLIENT', 'PAUSE', '3600000', 'ALL');
    for (const call of await Promise.allSettled(everyCall())) expect(call).toMatchObject({ reason: UNAVAILABLE });
    admin.disconnect();
  });

  it('reloads its scripts after a restart of the server, and starts from an empty store', async () => {
    const { epoch } = await store.claimPosition(0, 1);
    const first = commitOf(epoch, 0);
    await store.commit(first);
    await server.stop();
    await server.restart();
    await waitForRedis();
    expect(await store.readProofs(info.tree, [testAddress(9)])).toBeNull();
    await expect(store.commit(commitOf(epoch, 1))).rejects.toMatchObject({ code: 'fenced' });
    const claimed = await store.claimPosition(0, 1);
    expect(claimed.offset).toBeNull();
    await store.commit({ ...first, position: { ...first.position, epoch: claimed.epoch } });
    expect(await store.readProofs(info.tree, [testAddress(9)])).toMatchObject({ slot: 0, head: { seq: 5n } });
  });

  it('applies a commit once if its response was lost', async () => {
    const { epoch } = await store.claimPosition(0, 1);
    const commit = commitOf(epoch, 0);
    const pending = store.commit(commit);
    pending.catch(() => undefined);
    link.drop();
    await pending.catch(() => undefined);
    await waitForRedis();
    await store.commit(commit);
    await store.commit(commitOf(epoch, 1));
    expect(await store.readProofs(info.tree, [testAddress(9)])).toMatchObject({ slot: 1, head: { seq: 7n } });
  });
});
