import { type BlocksCommit, type TreeProofs } from '../tree-store';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { eventually, Opened, TcpLink } from '@fresnel/testing/generic';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { GrowingTree, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { Redis } from 'ioredis';
import { createTreeRedis } from './redis-connection';
import { RedisTreeStore } from './redis.tree-store';
import { type PrimaryReadReason, ReplicaProofStore } from './replica.proof-store';

const { tree } = testAddressTree('addressV1');
const asked = [testAddress(1_000)];

describe('proofs from a Redis replica', () => {
  const opened = new Opened();
  const connections: Redis[] = [];
  let replication: TcpLink;
  let writer: RedisTreeStore;
  let replica: RedisTreeStore;
  let primaryReads: PrimaryReadReason[];
  let store: ReplicaProofStore;
  let admin: Redis;
  let growing: GrowingTree;
  let epoch: bigint;
  let slot: number;

  async function connect({ url }: { url: string }, commandTimeoutMs: number): Promise<Redis> {
    const redis = createTreeRedis({ url, commandTimeoutMs });
    connections.push(redis);
    await redis.connect();
    return redis;
  }

  beforeAll(async () => {
    const [one, two]: TestRedis[] = await Promise.all([startTestRedis(), startTestRedis()]);
    opened.add(one);
    opened.add(two);
    const primary = await connect(one, 30_000);
    await primary.config('SET', 'repl-diskless-sync-delay', '0');
    replication = await TcpLink.to(one.url);
    opened.add({ close: () => replication.cut() });
    admin = new Redis(two.url);
    connections.push(admin);
    await admin.replicaof('127.0.0.1', new URL(replication.url).port);
    writer = new RedisTreeStore(primary, sha256);
    replica = new RedisTreeStore(await connect(two, 500), sha256);
    growing = new GrowingTree(testAddressTree('addressV1'), sha256);
    slot = 0;
    ({ epoch } = await writer.claimPosition(0, 1));
  });
  beforeEach(() => {
    primaryReads = [];
    store = new ReplicaProofStore(writer, replica, (reason) => primaryReads.push(reason));
  });
  afterAll(async () => {
    for (const redis of connections) redis.disconnect();
    await opened.close();
  });

  /** Commits the next record, with an insertion. */
  async function commit(blocks?: BlocksCommit): Promise<void> {
    slot++;
    const position = { partition: 0, epoch, from: BigInt(slot - 1), to: BigInt(slot) };
    await writer.commit({ trees: [growing.insert(testAddress(slot))], slot: toSlot(slot), blocks, position });
  }

  const isReplicated = async () => (await replica.findTreeSlot(tree)) === (await writer.findTreeSlot(tree));

  /** What a proof reader does for a request. */
  async function read(minSlot = slot): Promise<TreeProofs | null> {
    const found = await store.findTreeSlot(tree);
    expect(found).toBe(slot);
    return store.readProofs(tree, asked, toSlot(minSlot));
  }
  const expected = () => writer.readProofs(tree, asked);

  it('are equal to those of the primary, and come from the replica', async () => {
    await commit();
    await eventually('the replica is up to date', isReplicated);
    expect(await read()).toEqual(await expected());
    expect(primaryReads).toEqual([]);
  });

  it('come from the primary while the replica is behind the requested slot, and from the replica for older slots', async () => {
    await replication.cut();
    const before = slot;
    await commit();
    expect(await read()).toEqual(await expected());
    expect(primaryReads).toEqual(['replica-behind']);
    expect(await read(before)).toMatchObject({ slot: before });
    expect(primaryReads).toEqual(['replica-behind']);
    await replication.restore();
    await eventually('the replica is up to date', isReplicated);
    expect(await read()).toEqual(await expected());
    expect(primaryReads).toEqual(['replica-behind']);
  });

  it('are never those of an orphaned branch, although the replica has the requested slot', async () => {
    const orphaned = slot;
    await replication.cut();
    await commit({ recent: [], forkPointSlot: toSlot(orphaned - 1) });
    expect(await read(orphaned)).toEqual(await expected());
    expect(primaryReads).toEqual(['replica-behind']);
    await replication.restore();
    await eventually('the replica is up to date', isReplicated);
    expect(await read()).toEqual(await expected());
    expect(primaryReads).toHaveLength(1);
  });

  it('come from the primary while the replica does not answer, which is not asked again at once', async () => {
    await admin.call('CLIENT', 'PAUSE', '2000', 'ALL');
    expect(await read()).toEqual(await expected());
    const attempts = jest.spyOn(replica, 'readProofs');
    for (let request = 0; request < 20; request++) expect(await read()).toEqual(await expected());
    expect(attempts.mock.calls.length).toBeLessThan(20);
    expect(new Set(primaryReads)).toEqual(new Set(['replica-unavailable']));
    await eventually('the replica answers again', async () => {
      const reads = primaryReads.length;
      await read();
      return primaryReads.length === reads;
    });
  });

  it('are null for a tree that neither has', async () => {
    const { tree: unknown } = testAddressTree('addressV2');
    expect(await store.findTreeSlot(unknown)).toBeNull();
    expect(await store.readProofs(unknown, asked, 0 as Slot)).toBeNull();
  });

  it('are never older than requested, while the link to the replica breaks and a writer commits', async () => {
    let isDone = false;
    const breaking = (async () => {
      while (!isDone) {
        await replication.cut();
        await new Promise((done) => setTimeout(done, 20));
        await replication.restore();
        await new Promise((done) => setTimeout(done, 150));
      }
    })();
    const writing = (async () => {
      for (let commits = 0; commits < 300; commits++) await commit();
      isDone = true;
    })();
    let reads = 0;
    while (!isDone) {
      const minSlot = await store.findTreeSlot(tree);
      const proofs = await store.readProofs(tree, asked, minSlot ?? toSlot(0));
      expect(proofs?.slot).toBeGreaterThanOrEqual(minSlot ?? 0);
      reads++;
    }
    await Promise.all([writing, breaking]);
    expect(primaryReads.length).toBeLessThan(reads);
  });
});
