import { poseidonHex } from '@railgun-community/poseidon-hash-wasm';
import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Hash, toSlot, type TreeHasher } from '@fresnel/domain/primitives';
import { type AddressTreeChange, type AddressTreeInfo } from '@fresnel/domain/trees';
import { type TreeUpdate } from '@fresnel/domain/state';
import { blockLinkAt } from '@fresnel/testing/chain';
import { type Bench, type BenchMeasurement, type BenchWay } from '@fresnel/testing/generic';
import {
  commitTo,
  poseidonInline,
  testAddress,
  testAddressTree,
  treeHasherOf,
  v1Updates,
} from '@fresnel/testing/trees';
import { TreeWriter } from './tree.writer';

const ADDRESSES = 10_000;
const MANY_ADDRESSES = 1_000_000;
const V1_BATCH = 100;
const V2_BATCH = 250;

const poseidonHashWasm = treeHasherOf(
  (inputs) => Buffer.from(poseidonHex(inputs.map((input) => input.toString('hex'))).padStart(64, '0'), 'hex') as Hash,
);

/** Applies one update after the other to a new tree in memory. @returns the roots after each */
async function applyAll(updates: Iterable<TreeUpdate>, hasher: TreeHasher, acceptGaps: boolean): Promise<Hash[]> {
  const store = await InMemoryTreeStore.open(hasher.hash, null);
  const roots: Hash[] = [];
  for (const update of updates) {
    const commit = await TreeWriter.apply([update], await store.openTree(update.tree.tree), hasher, acceptGaps);
    if (commit.head.quarantineReason) throw new Error(commit.head.quarantineReason);
    await commitTo(store, [commit], { slot: update.slot });
    roots.push(commit.head.root);
  }
  return roots;
}

function updateOf(tree: AddressTreeInfo, at: number, changes: AddressTreeChange[]): TreeUpdate {
  return { ...blockLinkAt(toSlot(at + 1)), tree, changes };
}

/** Batches of a queue. With roots, the writer compares the root after each batch. */
function* v2Updates(count: number, roots: readonly Hash[]): Iterable<TreeUpdate> {
  const tree = testAddressTree('addressV2');
  for (let from = 0; from < count; from += V2_BATCH) {
    const number = from / V2_BATCH;
    const changes: AddressTreeChange[] = Array.from({ length: V2_BATCH }, (_, at) => ({
      kind: 'address-queued',
      address: testAddress(from + at),
      queueIndex: BigInt(from + at),
    }));
    changes.push({
      kind: 'address-batch',
      seq: BigInt(number + 1),
      oldNextIndex: BigInt(from + 1),
      newNextIndex: BigInt(from + V2_BATCH + 1),
      newRoot: roots[number] ?? testAddress(0),
    });
    yield updateOf(tree, number, changes);
  }
}

/** Measures also how the CPU time of an address, in all threads, grows with the tree. The first hundredth warms up. */
async function insertMany(hasher: TreeHasher): Promise<BenchMeasurement> {
  const share = MANY_ADDRESSES / V2_BATCH / 100;
  const cpuTimes: number[] = [];
  function* measured(updates: Iterable<TreeUpdate>): Iterable<TreeUpdate> {
    let number = 0;
    for (const update of updates) {
      if (number++ % share === 0) cpuTimes.push(cpuMicroseconds());
      yield update;
    }
  }
  const startedAt = performance.now();
  await applyAll(measured(v2Updates(MANY_ADDRESSES, [])), hasher, true);
  const seconds = (performance.now() - startedAt) / 1000;
  cpuTimes.push(cpuMicroseconds());
  const cpuTimeOf = (hundredth: number) =>
    `${Math.round((cpuTimes[hundredth + 1] - cpuTimes[hundredth]) / share / V2_BATCH)} µs`;
  const details = `CPU time an address: ${cpuTimeOf(1)} in the second hundredth, ${cpuTimeOf(99)} in the last`;
  return { count: MANY_ADDRESSES, seconds, details };
}

function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function waysOf(updates: readonly TreeUpdate[]): { ways: BenchWay[]; close: () => Promise<void> } {
  const pool = new WorkerPool({ threads: 2 });
  const way = (name: string, hasher: TreeHasher): BenchWay => ({
    name,
    run: async () => {
      await applyAll(updates, hasher, false);
      return ADDRESSES;
    },
  });
  return {
    ways: [
      way('one thread', poseidonInline),
      way('two worker threads', pool.treeHasher),
      way('poseidon-hash-wasm', poseidonHashWasm),
    ],
    close: () => pool.close(),
  };
}

export const benches: Bench[] = [
  {
    title: 'Address tree V2: batches of a queue',
    data: `${ADDRESSES.toLocaleString('en')} addresses in batches of ${V2_BATCH}, the root compared after each`,
    unit: 'addresses',
    prepare: async () => {
      const roots = await applyAll(v2Updates(ADDRESSES, []), poseidonInline, true);
      return waysOf([...v2Updates(ADDRESSES, roots)]);
    },
  },
  {
    title: 'Address tree V1: insertions',
    data: `${ADDRESSES.toLocaleString('en')} addresses, ${V1_BATCH} at a time, each leaf compared`,
    unit: 'addresses',
    prepare: () => Promise.resolve(waysOf(v1Updates(Array<number>(ADDRESSES / V1_BATCH).fill(V1_BATCH), poseidon))),
  },
  {
    title: 'Address tree V2: a large tree',
    data: `${MANY_ADDRESSES.toLocaleString('en')} addresses in batches of ${V2_BATCH}`,
    unit: 'addresses',
    prepare: () => {
      const pool = new WorkerPool({ threads: 2 });
      const run = () => insertMany(pool.treeHasher);
      const way = { name: 'two worker threads', run, isOnce: true };
      return Promise.resolve({ ways: [way], close: () => pool.close() });
    },
  },
];
