import {
  createTreeRedis,
  InMemoryTreeJournal,
  NO_QUEUE_CHANGES,
  RedisTreeStore,
  type TreeCommit,
} from '@fresnel/adapters/tree-store';
import { MAX_QUEUE_ELEMENTS } from '@fresnel/contracts/prover';
import { poseidon } from '@fresnel/domain/poseidon';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { createTree, NO_POSITIONS, NodePages, type QueuedNullifier } from '@fresnel/domain/trees';
import { type Bench, type BenchMeasurement, sendHttp } from '@fresnel/testing/generic';
import { provideSharedServers, startTestRedis } from '@fresnel/testing/servers';
import { FresnelProcess, readMemory } from '@fresnel/testing/stack';
import { createTestDatabase, setIndexedSlot } from '@fresnel/testing/store';
import { commitNext, numbers, sha256, testAddress, testStateTree } from '@fresnel/testing/trees';

const LEAVES = 400_000;
const PAGES_PER_COMMIT = 5_000;
const SLOT = toSlot(1);
const TREE = testStateTree('stateV2');
const TX_HASH = testAddress(0);
const ALL = { limit: MAX_QUEUE_ELEMENTS, zkpBatchSize: 500 };
/**
 * The lag that Node reports is that of a timer of this interval: one that is on time has it as lag. On a busy machine, the lag contains
 * the time of other processes.
 */
const PROBE_MS = 10;
const MEMORY_INTERVAL_MS = 100;
const MB = 1024 * 1024;
const LAG = /^nodejs_eventloop_lag_max_seconds (\S+)$/m;
const CPU = /^process_cpu_seconds_total (\S+)$/m;

/** A service with its health server. */
interface Service {
  process: FresnelProcess;
  metricsUrl: string;
}

export const bench: Bench = {
  title: 'getQueueElements: time of an answer, memory for it, and the longest blocks of the event loop',
  data: `a V2 state tree with ${LEAVES.toLocaleString('en')} leaves and ${MAX_QUEUE_ELEMENTS.toLocaleString('en')} entries in each queue, those of the input queue spread over the tree; caller, gateway, prover, Redis and Postgres on the same machine`,
  unit: 'answers',
  prepare: async () => {
    const stop = await provideSharedServers();
    const [redis, database] = [await startTestRedis(), await createTestDatabase()];
    await fill(redis.url);
    await setIndexedSlot(database.dataSource, SLOT);
    const prover = await start('prover', { PROVER_ROLE: 'reader', REDIS_URL: redis.url, PROVER_PORT: '0' });
    const [, port] = await prover.process.waitFor(/"port":(\d+),"msg":"prover listening"/);
    const gateway = await start('gateway', {
      ...{ REDIS_URL: redis.url, DATABASE_URL: database.url, PROVER_URL: `127.0.0.1:${port}` },
      GATEWAY_REQUEST_TIMEOUT_MS: '60000',
    });
    const url = await gateway.process.url();
    const ask = (queues: object) => {
      const longest = new Map<string, number>();
      return () => measure(url, queues, { prover, gateway }, longest);
    };
    return {
      ways: [
        { name: 'both queues', run: ask({ outputQueue: ALL, inputQueue: ALL }) },
        { name: 'the output queue', run: ask({ outputQueue: ALL }) },
      ],
      close: async () => {
        for (const { process } of [gateway, prover]) await process.end('SIGTERM');
        await Promise.all([redis.drop(), database.drop()]);
        await stop();
      },
    };
  },
};

async function start(name: 'prover' | 'gateway', env: Record<string, string>): Promise<Service> {
  const process = FresnelProcess.start([], env, name);
  const [, port] = await process.waitFor(/"port":(\d+),"msg":"serving health and metrics"/, 300_000);
  return { process, metricsUrl: `http://127.0.0.1:${port}/metrics` };
}

/** Stores the tree in Redis. All nodes are SHA-256, but the root, which readers check with Poseidon. */
async function fill(url: string): Promise<void> {
  const redis = createTreeRedis({ url, commandTimeoutMs: 60_000 });
  await redis.connect();
  const partition = await new RedisTreeStore(redis, poseidon, {}, new InMemoryTreeJournal()).claimPartition(0, 1);
  const nodes = new NodePages(() => undefined, nodeHash);
  nodes.writeLeaves(new Map(numbers(0, LEAVES).map((index) => [index, testAddress(index)])), TREE.height);
  const root = poseidon([0, 1].map((index) => nodes.node({ level: TREE.height - 1, index })));
  const { head } = createTree(TREE, poseidon);
  const positions = {
    ...{ ...NO_POSITIONS, seq: 1n },
    ...{ queueEnd: BigInt(LEAVES + MAX_QUEUE_ELEMENTS), inputQueueEnd: BigInt(MAX_QUEUE_ELEMENTS) },
  };
  const pages = [...nodes.changedPages()];
  const commit: TreeCommit = {
    head: { ...head, ...positions, nextIndex: LEAVES, root, seen: positions },
    ...{ removed: [], elements: [], pages: new Map(), undo: [], queue: NO_QUEUE_CHANGES, inputQueue: NO_QUEUE_CHANGES },
  };
  for (let from = 0; from < pages.length; from += PAGES_PER_COMMIT) {
    const part = { ...commit, pages: new Map(pages.slice(from, from + PAGES_PER_COMMIT)) };
    await commitNext(partition, [part], { slot: SLOT });
  }
  const outputs = numbers(LEAVES, LEAVES + MAX_QUEUE_ELEMENTS).map((at) => [BigInt(at), testAddress(at)] as const);
  const queues = {
    queue: { truncatedFrom: null, added: new Map(outputs), start: BigInt(LEAVES) },
    inputQueue: { truncatedFrom: null, added: new Map(nullifiers()), start: 0n },
  };
  await commitNext(partition, [{ ...commit, ...queues }], { slot: SLOT });
  redis.disconnect();
}

/** Accounts of the tree, evenly spread and in no order. */
function nullifiers(): (readonly [bigint, QueuedNullifier])[] {
  return numbers(0, MAX_QUEUE_ELEMENTS).map((at) => {
    const leafIndex = Math.floor((((at * 617_717) % MAX_QUEUE_ELEMENTS) * LEAVES) / MAX_QUEUE_ELEMENTS);
    const entry = { leafIndex, hash: testAddress(leafIndex), txHash: TX_HASH, nullifier: testAddress(-1 - at) };
    return [BigInt(at), entry];
  });
}

/** SHA-256 as a field element. */
function nodeHash(inputs: Parameters<typeof sha256>[0]): ReturnType<typeof sha256> {
  const hash = sha256(inputs);
  hash[0] = 0;
  return hash;
}

/** Asks once. @param services by name @param longest the longest blocks so far, by name */
async function measure(
  url: string,
  queues: object,
  services: Record<string, Service>,
  longest: Map<string, number>,
): Promise<BenchMeasurement> {
  const params = { tree: toBase58(TREE.tree), ...queues };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getQueueElements', params });
  const before = await readMetrics(services);
  const memory = new MemoryRise();
  const startedAt = performance.now();
  const answer = await sendHttp(url, { body });
  const seconds = (performance.now() - startedAt) / 1000;
  const riseOf = memory.end();
  if (answer.status !== 200) throw new Error(`no answer: ${answer.text.slice(0, 200)}`);
  const after = await readMetrics(services);
  const texts = Object.keys(services).map((name) => {
    const blockedMs = Math.max(longest.get(name) ?? 0, after[name].lagMs - PROBE_MS);
    longest.set(name, blockedMs);
    const cpu = after[name].cpuSeconds - before[name].cpuSeconds;
    return `${name}: ${cpu.toFixed(1)} s of CPU, ${riseOf(name).toFixed(0)} MB more memory, blocked for at most ${blockedMs.toFixed(0)} ms`;
  });
  const megabytes = (answer.body.length / 1e6).toFixed(0);
  return { count: 1, seconds, details: `${seconds.toFixed(1)} s, ${megabytes} MB, ${texts.join(', ')}` };
}

/** The resident memory of the services while an answer is written. */
class MemoryRise {
  private readonly before = readServiceMemory();
  private readonly highest = new Map(this.before);
  private readonly timer = setInterval(() => {
    this.read();
  }, MEMORY_INTERVAL_MS);

  private read(): void {
    for (const [name, bytes] of readServiceMemory())
      this.highest.set(name, Math.max(bytes, this.highest.get(name) ?? 0));
  }

  /** @returns by how many MB the memory of a service rose, at most */
  end(): (name: string) => number {
    clearInterval(this.timer);
    this.read();
    return (name) => ((this.highest.get(name) ?? 0) - (this.before.get(name) ?? 0)) / MB;
  }
}

function readServiceMemory(): Map<string, number> {
  return readMemory(process.pid, (_, command) => /run-app\.mjs (\w+)/.exec(command)?.[1] ?? null);
}

/** The longest lag of each service since the reading before, and its CPU time. */
async function readMetrics(services: Record<string, Service>) {
  const readings = Object.entries(services).map(async ([name, { metricsUrl }]) => {
    const { text } = await sendHttp(metricsUrl, { method: 'GET', headers: {} });
    const valueOf = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
    return [name, { lagMs: 1_000 * valueOf(LAG), cpuSeconds: valueOf(CPU) }] as const;
  });
  return Object.fromEntries(await Promise.all(readings));
}
