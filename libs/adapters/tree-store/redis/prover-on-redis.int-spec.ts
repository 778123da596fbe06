import { InMemoryBus } from '@fresnel/adapters/bus';
import { TreeBehindError } from '@fresnel/adapters/prover-client';
import { TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { isAddressTree } from '@fresnel/domain/trees';
import { poseidon } from '@fresnel/domain/poseidon';
import { createProverMetrics, ProverService } from '@fresnel/features/prover';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { createLogger, Registry } from '@fresnel/platform';
import { range } from '@fresnel/testing/chain';
import { TcpLink } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { TreeRecords } from '@fresnel/testing/messages';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { testAddress, treeHasherOf } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { InMemoryTreeJournal } from '../in-memory.tree-journal';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { type TreeStore } from '../tree-store';
import { createTreeRedis } from './redis-connection';
import { RedisTreeStore } from './redis.tree-store';

const WEIGHTS = {
  createAddressedAccounts: 20,
  reserveAddresses: 30,
  insertAddresses: 30,
  appendAddresses: 30,
  appendOutputs: 15,
  nullifyInputs: 15,
  migrateLeaves: 10,
};
const RECORDS = new TreeRecords();
/** The records that ingest publishes to the prover, by slot. */
const SLOTS = readGeneratedSlots([...generateLedger({ seed: 11, slots: 40, weights: WEIGHTS })]).map((events) =>
  RECORDS.ofSlot(events),
);
const HALF = SLOTS.length / 2;
const TREES = generatedTrees();
const NEW_ADDRESSES = range(0, 50).map(testAddress);
const LEAVES = [...range(0, 60), 2 ** 26 - 1];

/** A prover with its own bus. */
class Prover {
  private readonly stop = new AbortController();
  private readonly bus: InMemoryBus;
  private readonly service: ProverService;
  private readonly running: Promise<void>;

  constructor(store: TreeStore, partitionCount: number) {
    this.bus = new InMemoryBus({ partitionCount, retryPauseMs: 1, capacity: 10_000 });
    const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
    const metrics = createProverMetrics(new Registry());
    this.service = new ProverService(this.bus, store, treeHasherOf(poseidon), options, createLogger('silent'), metrics);
    this.running = this.service.run(this.stop.signal);
    this.running.catch(() => undefined);
  }

  async apply(slots: readonly TreeUpdatesMessage[][]): Promise<void> {
    await this.bus.publish(TREE_UPDATES, slots.flat(), this.stop.signal);
    await Promise.race([this.bus.waitUntilDrained(this.stop.signal), this.running]);
  }

  /** The result for every tree: proofs or an error. */
  proveAll() {
    return Promise.allSettled(
      TREES.map((info) =>
        isAddressTree(info)
          ? this.service.proveNewAddresses(info.tree, NEW_ADDRESSES, toSlot(0))
          : this.service.proveLeaves(info.tree, LEAVES, toSlot(0)),
      ),
    );
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
  }
}

async function stateOf(store: TreeStore, prover: Prover) {
  const found = await Promise.all(TREES.map(({ tree }) => store.readHead(tree)));
  const heads = found.flatMap((state) => (state ? [state.head] : []));
  heads.sort((a, b) => a.info.tree.compare(b.info.tree));
  return { heads, slot: await store.findSlot(), results: await prover.proveAll() };
}

async function expectedAfter(slots: readonly TreeUpdatesMessage[][]) {
  const store = await InMemoryTreeStore.open(poseidon, null);
  const prover = new Prover(store, 1);
  await prover.apply(slots);
  const state = await stateOf(store, prover);
  await prover.end();
  expect(state.results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(2);
  return state;
}

describe('ProverService on RedisTreeStore', () => {
  let server: TestRedis;
  let redis: Redis;
  let store: RedisTreeStore;
  let journal: InMemoryTreeJournal;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = createTreeRedis({ url: server.url, commandTimeoutMs: 30_000 });
    await redis.connect();
  });
  beforeEach(async () => {
    await redis.flushall();
    journal = new InMemoryTreeJournal();
    store = new RedisTreeStore(redis, poseidon, {}, journal);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.drop();
  });

  it.each([1, 3])('has the heads and proofs of a store in memory, with %i partitions', async (partitionCount) => {
    const prover = new Prover(store, partitionCount);
    for (const slot of SLOTS.slice(0, HALF)) await prover.apply([slot]);
    expect(await stateOf(store, prover)).toEqual(await expectedAfter(SLOTS.slice(0, HALF)));
    await prover.apply(SLOTS.slice(HALF));
    expect(await stateOf(store, prover)).toEqual(await expectedAfter(SLOTS));
    await prover.end();
  });

  it('starts while Redis is unavailable, rejects requests, and continues when Redis is available', async () => {
    const link = await TcpLink.to(server.url);
    await link.cut();
    const late = createTreeRedis({ url: link.url });
    const lateStore = new RedisTreeStore(late, poseidon, {}, journal);
    await expect(late.connect()).rejects.toThrow();
    const prover = new Prover(lateStore, 3);
    const rejected = await prover.proveAll();
    expect(rejected.map(({ status }) => status)).toEqual(TREES.map(() => 'rejected'));
    await link.restore();
    await prover.apply(SLOTS);
    expect(await stateOf(lateStore, prover)).toEqual(await expectedAfter(SLOTS));
    await prover.end();
    late.disconnect();
    await link.cut();
  });

  it('goes on after Redis was flushed, with the trees of the journal', async () => {
    const prover = new Prover(store, 3);
    await prover.apply(SLOTS.slice(0, HALF));
    await redis.flushall();
    const rejected = await prover.proveAll();
    expect(rejected.map((result): unknown => (result.status === 'rejected' ? result.reason : result))).toEqual(
      TREES.map(() => expect.any(TreeBehindError) as unknown),
    );
    await prover.apply(SLOTS.slice(HALF));
    expect(await stateOf(store, prover)).toEqual(await expectedAfter(SLOTS));
    await prover.end();
  });
});
