import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { blockhashAt } from '@fresnel/testing/chain';
import { eventually, Opened, TcpLink, until } from '@fresnel/testing/generic';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { commitNext, GrowingTree, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { Redis } from 'ioredis';
import { InMemoryTreeJournal } from '../in-memory.tree-journal';
import { type BlocksCommit, type TreePartition, type TreeProofs } from '../tree-store';
import { createTreeRedis } from './redis-connection';
import { RedisProofStore } from './redis.proof-store';
import { RedisTreeStore } from './redis.tree-store';
import { type PrimaryReadReason, ReplicaProofStore } from './replica.proof-store';

const { tree } = testAddressTree('addressV1');
const asked = [testAddress(1_000)];

describe('proofs from a Redis replica', () => {
  const opened = new Opened();
  const connections: Redis[] = [];
  let replication: TcpLink;
  let writer: RedisTreeStore;
  let replica: RedisProofStore;
  let partition: TreePartition;
  let primaryReads: PrimaryReadReason[];
  let store: ReplicaProofStore;
  let admin: Redis;
  let growing: GrowingTree;
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
    writer = new RedisTreeStore(primary, sha256, {}, new InMemoryTreeJournal());
    replica = new RedisProofStore(await connect(two, 2_000), sha256, {}, writer.marks);
    growing = new GrowingTree(testAddressTree('addressV1'), sha256);
    slot = 0;
    partition = await writer.claimPartition(0, 1);
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
    await commitNext(partition, [growing.insert(testAddress(slot))], { slot: toSlot(slot), blocks });
  }

  const isReplicated = async () => (await replica.openTree(tree)).entry === (await writer.openTree(tree)).entry;

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
    // The tree of the replica has the slot and the block of its own entry.
    expect(await read(before)).toMatchObject({ slot: before, blockhash: blockhashAt(before) });
    expect(primaryReads).toEqual(['replica-behind']);
    await replication.restore();
    await eventually('the replica is up to date', isReplicated);
    expect(await read()).toEqual(await expected());
    expect(primaryReads).toEqual(['replica-behind']);
  });

  it('come from a replica without the newest mark, as of the mark of the primary', async () => {
    await commit();
    await eventually('the replica is up to date', isReplicated);
    await replication.cut();
    slot++;
    await commitNext(partition, [], { slot: toSlot(slot) });
    expect(await read()).toEqual(await expected());
    expect(primaryReads).toEqual([]);
    await replication.restore();
  });

  it('are never those of an orphaned branch as of the slot of the primary', async () => {
    await commit();
    await eventually('the replica is up to date', isReplicated);
    const orphaned = slot;
    await replication.cut();
    await commit({ recent: [], forkPointSlot: toSlot(orphaned - 1), hasRefused: false });
    expect(await read()).toEqual(await expected());
    expect(primaryReads).toEqual(['replica-behind']);
    expect(await read(orphaned)).toMatchObject({ slot: orphaned, blockhash: blockhashAt(orphaned) });
    await replication.restore();
    await eventually('the replica is up to date', isReplicated);
    expect(await read()).toEqual(await expected());
    expect(primaryReads).toHaveLength(1);
  });

  it('come from the primary while the replica does not answer, which is not asked again at once', async () => {
    await admin.call('CLIENT', 'PAUSE', '6000', 'ALL');
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
    const reads = { replica: 0, primary: 0 };
    const reading = (async () => {
      while (!isDone) {
        const minSlot = await store.findTreeSlot(tree);
        const before = primaryReads.length;
        const proofs = await store.readProofs(tree, asked, minSlot ?? toSlot(0));
        expect(proofs?.slot).toBeGreaterThanOrEqual(minSlot ?? 0);
        reads[primaryReads.length > before ? 'primary' : 'replica']++;
      }
    })();
    /** Commits until the store that proofs come from has served another one. */
    const commitUntilRead = async (from: keyof typeof reads) => {
      const before = reads[from];
      await until(() => commit().then(() => reads[from] > before), [reading]);
    };
    for (let breaks = 0; breaks < 3; breaks++) {
      await replication.cut();
      await commitUntilRead('primary');
      await replication.restore();
      await commitUntilRead('replica');
    }
    isDone = true;
    await reading;
  });
});
