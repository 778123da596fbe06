import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { InMemoryBus } from '@fresnel/adapters/bus';
import { HashPool } from '@fresnel/adapters/hash-pool';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { poseidon } from '@fresnel/domain/poseidon';
import { toSlot, type TreeHasher } from '@fresnel/domain/primitives';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { createLogger, Registry } from '@fresnel/platform';
import { blockLinkAt } from '@fresnel/testing/chain';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { poseidonInline, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { createProverMetrics } from './prover.metrics';
import { ProverService } from './prover.service';

const STORED = 10_000;
const QUEUED = 30_000;
const BATCH = 250;
const READ_INTERVAL_MS = 2;
const TREE = testAddressTree('addressV2');

/** Two messages for each batch: its addresses are queued, then they become leaves. */
function messagesOf(from: number, count: number): TreeUpdatesMessage[] {
  return Array.from({ length: count / BATCH }, (_, number): TreeUpdatesMessage[] => {
    const first = from + number * BATCH;
    const queued = Array.from({ length: BATCH }, (_, at): AddressTreeChange => ({
      kind: 'address-queued',
      address: testAddress(first + at),
      queueIndex: BigInt(first + at),
    }));
    const batch: AddressTreeChange = {
      kind: 'address-batch',
      seq: BigInt(first / BATCH + 1),
      oldNextIndex: BigInt(first + 1),
      newNextIndex: BigInt(first + BATCH + 1),
      newRoot: testAddress(0),
    };
    const slot = toSlot(first / BATCH + 1);
    return [
      { kind: 'update', update: { ...blockLinkAt(slot), tree: TREE, changes: [...queued, batch] } },
      { kind: 'watermark', ...blockLinkAt(slot) },
    ];
  }).flat();
}

/** Inserts a queue while proofs are read at a steady pace, and measures how long each of them takes. */
async function insertWhileReading(hasher: TreeHasher): Promise<BenchMeasurement> {
  const bus = new InMemoryBus({ partitionCount: 1, firstOffset: () => 0n, retryPauseMs: 1, capacity: 1_000_000 });
  const store = await InMemoryTreeStore.open(poseidon, null);
  // The generated batches have no valid roots.
  const options = { acceptTreeGaps: true, maxWaitMs: 0 };
  const metrics = createProverMetrics(new Registry());
  const prover = new ProverService(bus, store, hasher, options, createLogger('silent'), metrics);
  const stop = new AbortController();
  const running = prover.run(stop.signal);
  await bus.publish(TREE_UPDATES, messagesOf(0, STORED), stop.signal);
  await bus.waitUntilDrained(stop.signal);

  const queue = messagesOf(STORED, QUEUED);
  const latencies: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let isInserting = true;
  const read = async () => {
    for (let at = 0; isInserting; at++) {
      const dueAt = performance.now() + READ_INTERVAL_MS;
      await sleep(READ_INTERVAL_MS);
      await prover.proveNewAddresses(TREE.tree, [testAddress(1_000_000 + at)], toSlot(0));
      latencies.push(performance.now() - dueAt);
    }
  };
  const reading = read();
  delay.enable();
  const startedAt = performance.now();
  await bus.publish(TREE_UPDATES, queue, stop.signal);
  await bus.waitUntilDrained(stop.signal);
  const seconds = (performance.now() - startedAt) / 1000;
  delay.disable();
  isInserting = false;
  await reading;
  stop.abort();
  await running;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)].toFixed(1);
  const details = `${latencies.length} proofs, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms; longest delay of the event loop ${(delay.max / 1e6).toFixed(1)} ms`;
  return { count: QUEUED, seconds, details };
}

export const bench: Bench = {
  title: 'Proof reads while a queue is inserted, in one process',
  data: `a V2 tree of ${STORED.toLocaleString('en')} addresses, ${QUEUED.toLocaleString('en')} more in batches of ${BATCH}, a proof every ${READ_INTERVAL_MS} ms`,
  unit: 'addresses',
  prepare: () => {
    const pools = [new HashPool({ threads: 2 }), new HashPool({ threads: 1 })];
    const [two, one] = pools.map(({ hashBatch }): TreeHasher => ({ hash: poseidon, hashBatch }));
    return Promise.resolve({
      ways: [
        { name: 'two worker threads', run: () => insertWhileReading(two) },
        { name: 'one worker thread', run: () => insertWhileReading(one) },
        { name: 'no worker thread', run: () => insertWhileReading(poseidonInline) },
      ],
      close: async () => {
        for (const pool of pools) await pool.close();
      },
    });
  },
};
