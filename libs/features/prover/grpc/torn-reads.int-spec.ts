import { InMemoryBus } from '@fresnel/adapters/bus';
import {
  GrpcProverClient,
  type NewAddressProof,
  type NewAddressProofs,
  unpackProofs,
} from '@fresnel/adapters/prover-client';
import { createTreeRedis, InMemoryTreeJournal, RedisTreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeChange, type AddressTreeInfo, type AddressTreeType, hashElement } from '@fresnel/domain/trees';
import { createLogger, nestOptions, Registry } from '@fresnel/platform';
import { blockLinkAt, range } from '@fresnel/testing/chain';
import { byFaultForm } from '@fresnel/testing/generic';
import { TreeRecords } from '@fresnel/testing/messages';
import { newPrefix, type SharedRedis, sharedRedis } from '@fresnel/testing/servers';
import { AddressTreeModel, sha256, testAddress, testAddressTree, treeHasherOf } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { createProverMetrics, ProverService } from '../index';
import { ProverServerModule, startProverServer } from '../nest';

const ADDRESSES_PER_REQUEST = 1_000;
const CONCURRENCY = 4;
/** The minimum number of states of a tree that are read. */
const MIN_STATES = byFaultForm({ short: 15, long: 50 });
/** Addresses that are never inserted. */
const NEW_ADDRESSES = range(1_000_000, 1_010_000).map(testAddress);

/** Changes a tree as fast as the writer applies it, and records the root of each sequence number. */
class ChangingTree {
  readonly roots = new Map<bigint, Hash>();
  private readonly model: AddressTreeModel;
  private readonly records = new TreeRecords();
  private slot = 0;
  private used = 0;

  constructor(readonly info: AddressTreeInfo) {
    this.model = new AddressTreeModel(info, sha256);
    this.recordRoot();
  }

  /** The tree records of the next slot. */
  nextSlot(): TreeUpdatesMessage[] {
    this.slot++;
    const update = this.model.updateAt(this.slot, ...(this.info.type === 'addressV1' ? this.insert() : this.batch()));
    this.recordRoot();
    return this.records.of(blockLinkAt(this.slot), [update]);
  }

  private insert(): AddressTreeChange[] {
    return [this.model.insert(this.nextAddress(), this.nextAddress())];
  }

  /** Some addresses stay queued from one slot to the next. */
  private batch(): AddressTreeChange[] {
    const queued = this.model.enqueue(this.nextAddress(), this.nextAddress());
    return this.slot % 2 === 0 ? [...queued, this.model.batch(3)] : queued;
  }

  private nextAddress(): Hash {
    this.used++;
    return testAddress(this.used);
  }

  private recordRoot(): void {
    this.roots.set(this.model.seq, this.model.root);
  }
}

/** Hashes up the proofs of one response. Nodes that proofs share are hashed once. */
class ProofChecker {
  private readonly parents = new Map<number, { left: Hash; right: Hash; hash: Hash }>();

  constructor(private readonly type: AddressTreeType) {}

  rootOf({ lowerRangeAddress, higherRangeAddress, lowElementLeafIndex, nextIndex, siblings }: NewAddressProof): Hash {
    const low = { value: lowerRangeAddress, index: lowElementLeafIndex, nextIndex, nextValue: higherRangeAddress };
    let node = hashElement(this.type, low, sha256);
    let index = lowElementLeafIndex;
    for (const [level, sibling] of siblings.entries()) {
      const [left, right] = index % 2 === 0 ? [node, sibling] : [sibling, node];
      index = Math.floor(index / 2);
      node = this.parentOf(left, right, level * 2 ** 42 + index);
    }
    return node;
  }

  private parentOf(left: Hash, right: Hash, position: number): Hash {
    const cached = this.parents.get(position);
    if (cached?.left.equals(left) && cached.right.equals(right)) return cached.hash;
    const hash = sha256([left, right]);
    this.parents.set(position, { left, right, hash });
    return hash;
  }
}

function isBetween({ address, lowerRangeAddress, higherRangeAddress }: NewAddressProof): boolean {
  return lowerRangeAddress.compare(address) < 0 && address.compare(higherRangeAddress) < 0;
}

describe('proofs of a thousand addresses over gRPC, while another prover writes the tree', () => {
  let server: SharedRedis;
  let prefix: string;
  let journal: InMemoryTreeJournal;
  const connections: Redis[] = [];
  beforeAll(async () => {
    server = await sharedRedis();
  });
  beforeEach(() => {
    prefix = newPrefix();
    journal = new InMemoryTreeJournal();
  });
  afterAll(() => {
    for (const redis of connections) redis.disconnect();
  });

  async function connect(): Promise<Redis> {
    const redis = createTreeRedis({ url: server.url, commandTimeoutMs: 30_000 });
    connections.push(redis);
    await redis.connect();
    return redis;
  }

  /** A prover with its own connection and bus. */
  async function createProver() {
    const redis = await connect();
    const bus = new InMemoryBus({ partitionCount: 1, retryPauseMs: 1, capacity: 10 });
    const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 10_000, PROVER_MAX_WAIT_SLOTS: 100 };
    const metrics = createProverMetrics(new Registry());
    const store = new RedisTreeStore(redis, sha256, { prefix }, journal);
    return {
      bus,
      prover: new ProverService(bus, store, treeHasherOf(sha256), options, createLogger('silent'), metrics),
    };
  }

  async function keepWriting(tree: ChangingTree, signal: AbortSignal): Promise<void> {
    const { bus, prover } = await createProver();
    const running = prover.run(signal);
    const publishing = (async () => {
      while (!signal.aborted) await bus.publish(TREE_UPDATES, tree.nextSlot(), signal);
    })().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    await Promise.all([running, publishing]);
  }

  function requireOneState(
    { root, rootSeq, ...records }: NewAddressProofs,
    asked: readonly Hash[],
    tree: ChangingTree,
  ): void {
    expect(tree.roots.get(rootSeq)?.equals(root)).toBe(true);
    const items = unpackProofs(records);
    expect(items.length).toBe(asked.length);
    const checker = new ProofChecker(tree.info.type);
    const wrong = items.filter(
      (item, at) => !item.address.equals(asked[at]) || !isBetween(item) || !checker.rootOf(item).equals(root),
    );
    expect(wrong.length).toBe(0);
  }

  it.each([
    ['addressV1', byFaultForm({ short: 20, long: 700 })],
    ['addressV2', byFaultForm({ short: 20, long: 300 })],
  ] as const)('come from one state of a tree of type %s', async (type, count) => {
    const tree = new ChangingTree(testAddressTree(type));
    const stop = new AbortController();
    const writing = keepWriting(tree, stop.signal);
    writing.catch(() => undefined);
    const { prover } = await createProver();
    const logger = createLogger('silent');
    const root = ProverServerModule.register({ prover, logger, registry: new Registry() });
    const options = {
      PROVER_HOST: '127.0.0.1',
      PROVER_PORT: 0,
      PROVER_MAX_CONNECTION_AGE_MS: 5_000,
      closeTimeoutMs: 5_000,
    };
    const running = await startProverServer(root, options, nestOptions(logger));
    const client = new GrpcProverClient({ address: `127.0.0.1:${running.port}`, deadlineMs: 60_000 });
    const states = new Set<bigint>();
    let requests = 0;
    const ask = async () => {
      while (requests < count || states.size < MIN_STATES) {
        const from = (requests * ADDRESSES_PER_REQUEST) % NEW_ADDRESSES.length;
        requests++;
        const asked = NEW_ADDRESSES.slice(from, from + ADDRESSES_PER_REQUEST);
        const answer = await client.proveNewAddresses(tree.info.tree, asked, toSlot(1));
        requireOneState(answer, asked, tree);
        states.add(answer.rootSeq);
      }
    };
    try {
      await Promise.all(Array.from({ length: CONCURRENCY }, ask));
      console.log(`${requests} answers from ${states.size} of ${tree.roots.size} states of the ${type} tree`);
    } finally {
      stop.abort();
      await writing;
      client.close();
      await running.close();
    }
  });
});
