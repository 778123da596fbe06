import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { InMemoryBus } from '@fresnel/adapters/bus';
import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { poseidon } from '@fresnel/domain/poseidon';
import { toSlot, type TreeHasher } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type AddressTreeChange, type TreeInfo } from '@fresnel/domain/trees';
import { createLogger, Registry } from '@fresnel/platform';
import { blockLinkAt } from '@fresnel/testing/chain';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { TreeRecords } from '@fresnel/testing/messages';
import { headsOf, poseidonInline, testAddress, testAddressTree, v1Updates } from '@fresnel/testing/trees';
import { createProverMetrics } from './prover.metrics';
import { ProverService } from './prover.service';

const STORED = 10_000;
const INSERTED = 30_000;
const V1_BATCH = 100;
const V2_BATCH = 250;
const READ_INTERVAL_MS = 2;

/** The blocks of one tree: those that are stored first, and those that are inserted while proofs are read. */
interface Blocks {
  tree: TreeInfo;
  stored: TreeUpdatesMessage[];
  inserted: TreeUpdatesMessage[];
  acceptTreeGaps: boolean;
}

function v1Blocks(): Blocks {
  const updates = v1Updates(Array<number>((STORED + INSERTED) / V1_BATCH).fill(V1_BATCH), poseidon);
  return { ...splitAt(STORED / V1_BATCH, updates), acceptTreeGaps: false };
}

function v2Blocks(): Blocks {
  const updates = Array.from({ length: (STORED + INSERTED) / V2_BATCH }, (_, number) => v2Update(number));
  // The generated batches have no valid roots.
  return { ...splitAt(STORED / V2_BATCH, updates), acceptTreeGaps: true };
}

/** A block in which addresses are queued and then become leaves. */
function v2Update(number: number): TreeUpdate {
  const first = number * V2_BATCH;
  const changes = Array.from({ length: V2_BATCH }, (_, at): AddressTreeChange => ({
    kind: 'address-queued',
    address: testAddress(first + at),
    queueIndex: BigInt(first + at),
  }));
  changes.push({
    kind: 'address-batch',
    seq: BigInt(number + 1),
    oldNextIndex: BigInt(first + 1),
    newNextIndex: BigInt(first + V2_BATCH + 1),
    newRoot: testAddress(0),
  });
  return { ...blockLinkAt(toSlot(number + 1)), tree: testAddressTree('addressV2'), changes };
}

function splitAt(stored: number, updates: readonly TreeUpdate[]): Omit<Blocks, 'acceptTreeGaps'> {
  const records = new TreeRecords();
  const messages = updates.map((update) => records.of(blockLinkAt(update.slot), [update]));
  return {
    tree: updates[0].tree,
    stored: messages.slice(0, stored).flat(),
    inserted: messages.slice(stored).flat(),
  };
}

/** Inserts addresses while proofs are read at a steady pace, and measures how long each of them takes. */
async function insertWhileReading(blocks: Blocks, hasher: TreeHasher): Promise<BenchMeasurement> {
  const { tree, acceptTreeGaps } = blocks;
  const bus = new InMemoryBus({ partitionCount: 1, firstOffset: () => 0n, retryPauseMs: 1, capacity: 1_000_000 });
  const store = await InMemoryTreeStore.open(poseidon, null);
  const options = { ACCEPT_TREE_GAPS: acceptTreeGaps, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
  const metrics = createProverMetrics(new Registry());
  const prover = new ProverService(bus, store, hasher, options, createLogger('silent'), metrics);
  const stop = new AbortController();
  const running = prover.run(stop.signal);
  await bus.publish(TREE_UPDATES, blocks.stored, stop.signal);
  await bus.waitUntilDrained(stop.signal);

  const latencies: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let isInserting = true;
  const read = async () => {
    for (let at = 0; isInserting; at++) {
      const dueAt = performance.now() + READ_INTERVAL_MS;
      await sleep(READ_INTERVAL_MS);
      await prover.proveNewAddresses(tree.tree, [testAddress(1_000_000 + at)], toSlot(0));
      latencies.push(performance.now() - dueAt);
    }
  };
  const reading = read();
  delay.enable();
  const startedAt = performance.now();
  await bus.publish(TREE_UPDATES, blocks.inserted, stop.signal);
  await bus.waitUntilDrained(stop.signal);
  const seconds = (performance.now() - startedAt) / 1000;
  delay.disable();
  isInserting = false;
  await reading;
  stop.abort();
  await running;
  const [head] = await headsOf(store);
  if (head.nextIndex < STORED + INSERTED) throw new Error(`only ${head.nextIndex} leaves: ${head.quarantineReason}`);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)].toFixed(1);
  const proofs = `${latencies.length} proofs, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
  return {
    count: INSERTED,
    seconds,
    details: `${proofs}, event loop blocked for ${(delay.max / 1e6).toFixed(1)} ms at most`,
  };
}

function benchOf(title: string, data: string, makeBlocks: () => Blocks): Bench {
  return {
    title: `Proof reads while ${title}, in one process`,
    data: `a tree of ${STORED.toLocaleString('en')} addresses, ${INSERTED.toLocaleString('en')} more ${data}, a proof every ${READ_INTERVAL_MS} ms`,
    unit: 'addresses',
    prepare: () => {
      const blocks = makeBlocks();
      const pools = [new WorkerPool({ threads: 2 }), new WorkerPool({ threads: 1 })];
      const [two, one] = pools.map(({ treeHasher }) => treeHasher);
      return Promise.resolve({
        ways: [
          { name: 'two worker threads', run: () => insertWhileReading(blocks, two) },
          { name: 'one worker thread', run: () => insertWhileReading(blocks, one) },
          { name: 'no worker thread', run: () => insertWhileReading(blocks, poseidonInline), isOnce: true },
        ],
        close: async () => {
          for (const pool of pools) await pool.close();
        },
      });
    },
  };
}

export const benches = [
  benchOf('a queue is inserted', `in V2 batches of ${V2_BATCH}`, v2Blocks),
  benchOf('a V1 backlog is inserted', `in V1 blocks of ${V1_BATCH}`, v1Blocks),
];
