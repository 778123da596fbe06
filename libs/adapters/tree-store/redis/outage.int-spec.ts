import { toSlot } from '@fresnel/domain/primitives';
import { TcpLink } from '@fresnel/testing/generic';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { commitNext, GrowingTree, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { InMemoryTreeJournal } from '../in-memory.tree-journal';
import { type TreePartition } from '../tree-store';
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
    redis = createTreeRedis({ url: link.url, commandTimeoutMs: 2_000 });
    store = new RedisTreeStore(redis, sha256, {}, new InMemoryTreeJournal());
    await redis.connect();
    growing = new GrowingTree(info, sha256);
  });
  afterEach(async () => {
    redis.disconnect();
    await link.cut();
    await server.drop();
  });

  const info = testAddressTree('addressV1');
  const step = async (partition: TreePartition, slot: number) =>
    commitNext(partition, [growing.insert(testAddress(slot))], { slot: toSlot(slot) });
  const everyCall = (partition: TreePartition) => [
    store.findSlot(),
    store.isEmpty(),
    store.findTreeSlot(info.tree),
    store.openTree(info.tree),
    store.readProofs(info.tree, [testAddress(1)]),
    store.readHead(info.tree),
    store.claimPartition(0, 1),
    partition.check(),
    partition.openTree(info.tree),
    partition.commit({ trees: [], block: null, to: 9n }),
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
    const partition = await store.claimPartition(0, 1);
    await step(partition, 0);
    await link.cut();
    for (const call of await Promise.allSettled(everyCall(partition)))
      expect(call).toMatchObject({ reason: UNAVAILABLE });
    await link.restore();
    await waitForRedis();
    expect(await store.readHead(info.tree)).toMatchObject({ slot: 0, head: { seq: 5n } });
    // The journal has the commit that Redis has missed.
    const next = await store.claimPartition(0, 1);
    expect(next.offset).toBe(9n);
    await step(next, 1);
    expect(await store.readHead(info.tree)).toMatchObject({ slot: 1, head: { seq: 7n } });
  });

  it('does not wait for a server that does not respond', async () => {
    const partition = await store.claimPartition(0, 1);
    const admin = createTreeRedis({ url: server.url });
    await admin.connect();
    await admin.call('CLIENT', 'PAUSE', '3600000', 'ALL');
    for (const call of await Promise.allSettled(everyCall(partition)))
      expect(call).toMatchObject({ reason: UNAVAILABLE });
    admin.disconnect();
  });

  it('reloads its scripts and its trees after a restart of the server', async () => {
    const partition = await store.claimPartition(0, 1);
    await step(partition, 0);
    await server.stop();
    await server.restart();
    await waitForRedis();
    expect(await store.readProofs(info.tree, [testAddress(9)])).toBeNull();
    await expect(partition.check()).rejects.toMatchObject({ code: 'fenced' });
    await step(await store.claimPartition(0, 1), 1);
    expect(await store.readProofs(info.tree, [testAddress(9)])).toMatchObject({ slot: 1, head: { seq: 7n } });
  });

  it('has a commit once if its response was lost', async () => {
    const pending = step(await store.claimPartition(0, 1), 0);
    pending.catch(() => undefined);
    link.drop();
    await pending.catch(() => undefined);
    await waitForRedis();
    const next = await store.claimPartition(0, 1);
    if (next.offset === null) growing = new GrowingTree(info, sha256);
    if (next.offset === null) await step(next, 0);
    await step(await store.claimPartition(0, 1), 1);
    expect(await store.readProofs(info.tree, [testAddress(9)])).toMatchObject({ slot: 1, head: { seq: 7n } });
  });
});
