import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeChange } from '@fresnel/domain/trees';
import { until } from '@fresnel/testing/generic';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { numbers, rootOfProof, sha256, StateTreeModel, siblingsOnPath } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { TreeMovedError } from '../tree-store.errors';
import { InMemoryTreeJournal } from '../in-memory.tree-journal';
import { type QueuedElements } from '../tree-store';
import { createTreeRedis } from './redis-connection';
import { RedisTreeStore } from './redis.tree-store';
import { ReplicaProofStore } from './replica.proof-store';

const ALL = { from: null, limit: 30_000, multipleOf: 1 };
const QUEUES = { outputs: ALL, inputs: ALL, addresses: null };

describe('entries of queues in Redis', () => {
  let server: TestRedis;
  let redis: Redis;
  let store: RedisTreeStore;
  let prover: TestProver;
  let model: StateTreeModel;
  let slot: number;
  let records: TreeRecords;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = createTreeRedis({ url: server.url, commandTimeoutMs: 30_000 });
    await redis.connect();
  });
  beforeEach(async () => {
    await redis.flushall();
    store = new RedisTreeStore(redis, sha256, {}, new InMemoryTreeJournal());
    prover = new TestProver(store, sha256);
    model = new StateTreeModel(sha256);
    slot = 0;
    records = new TreeRecords();
  });
  afterEach(() => prover.end());
  afterAll(async () => {
    redis.disconnect();
    await server.drop();
  });

  async function apply(...changes: TreeChange[]): Promise<void> {
    const update = model.updateAt(++slot, ...changes);
    await prover.apply(records.of(update, [update]));
  }

  /** Checks that entries and nodes are those of the head. */
  function expectOneState({ head, outputs, inputs, nodes }: QueuedElements): void {
    expect([...outputs.entries.keys()]).toEqual(numbers(head.nextIndex, Number(head.queueEnd)).map(BigInt));
    const [start, end] = [Number(head.inputQueueStart), Number(head.inputQueueEnd)];
    expect([...inputs.entries]).toEqual(numbers(start, end).map((at) => [BigInt(at), model.inputs[at]]));
    for (const [position, hash] of outputs.entries) expect(hash).toEqual(model.outputs[Number(position)]);
    for (const { leafIndex } of inputs.entries.values()) {
      const leaf = nodes.node({ level: 0, index: leafIndex });
      expect(leaf).toEqual(leafIndex < head.nextIndex ? model.outputs[leafIndex] : ZERO_HASH);
      expect(rootOfProof(leaf, leafIndex, siblingsOnPath(nodes, leafIndex, 32), sha256)).toEqual(head.root);
    }
  }

  it('are of one state while batches are written', async () => {
    await apply(...model.queue(1_500), ...model.consume(...numbers(0, 300).map((at) => 5 * at)));
    let isDone = false;
    const states = new Set<bigint>();
    const reading = (async () => {
      while (!isDone) {
        const found = await store.readQueuedElements(model.info.tree, QUEUES).catch((error: unknown) => {
          if (!(error instanceof TreeMovedError)) throw error;
        });
        if (!found) continue;
        expectOneState(found);
        states.add(found.head.seq);
      }
    })();
    for (let round = 0; round < 25; round++) {
      const { size } = states;
      await apply(...model.queue(20), model.append(40), model.nullify(8));
      await until(() => states.size > size, [reading]);
    }
    isDone = true;
    await reading;
    expect((await store.readQueuedElements(model.info.tree, QUEUES))?.head.root).toEqual(model.root);
  });

  it('are the same from a replica', async () => {
    await apply(...model.queue(40), ...model.consume(3, 30, 7), model.append(10));
    const primaryReads: string[] = [];
    const replicated = new ReplicaProofStore(store, store, (reason) => primaryReads.push(reason));
    expect(await replicated.findTreeSlot(model.info.tree)).toBe(slot);
    const found = await replicated.readQueuedElements(model.info.tree, QUEUES, toSlot(slot));
    if (!found) throw new Error('the tree is unknown');
    expectOneState(found);
    expect([found.slot, primaryReads]).toEqual([1, []]);
  });

  it('fail if Redis has lost the nodes', async () => {
    await apply(...model.queue(40), model.append(10));
    for (const key of await redis.keys('*:pages')) await redis.del(key);
    await expect(store.readQueuedElements(model.info.tree, QUEUES)).rejects.toMatchObject({
      code: 'tree-store-damaged',
    });
  });

  it('fail if Redis has lost a queue', async () => {
    await apply(...model.queue(40), model.append(10));
    for (const key of await redis.keys('*:queue')) await redis.del(key);
    const outputs = { startIndex: null, limit: 5, zkpBatchSize: 1 };
    const asked = prover.service.findQueueElements(
      model.info.tree,
      { outputs, inputs: null, addresses: null },
      toSlot(1),
    );
    await expect(asked).rejects.toMatchObject({ code: 'prover-unavailable' });
  });
});
