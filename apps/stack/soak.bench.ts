import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { generatedTrees, generateLedger, type GeneratedBlock } from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { integer, readConfig } from '@fresnel/platform';
import { type Bench, type BenchMeasurement, type Point, slopeOf } from '@fresnel/testing/generic';
import { ProofHistory } from '@fresnel/testing/ledger';
import { provideSharedServers, sharedKafka, sharedRedis } from '@fresnel/testing/servers';
import { callRpc, FresnelProcess, readMemory } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';
import { Redis } from 'ioredis';

const { FRESNEL_SOAK_TRANSACTIONS: TRANSACTIONS } = readConfig({
  FRESNEL_SOAK_TRANSACTIONS: integer(
    1,
    1_000_000_000,
  )({
    default: 10_000,
    desc: 'Compressed transactions of the run; one million shows leaks that the default cannot show',
  }),
});
const TRANSACTIONS_PER_SLOT = 50;
/** The chain does not grow while the stack is so many blocks behind. */
const MAX_BEHIND = 40;
/** Many, because the memory of a process moves by ten percent between collections of its garbage. */
const SAMPLES = 400;
const SAMPLES_SHOWN = 20;
const PATIENCE_MS = 300_000;
const MB = 1024 * 1024;

export const bench: Bench = {
  title: 'Memory of the stack in a long run',
  data: `${TRANSACTIONS.toLocaleString('en')} compressed transactions (FRESNEL_SOAK_TRANSACTIONS), and calls after each block; one process of each service and their servers on this machine`,
  unit: 'transactions',
  prepare: async () => {
    // A heap that has all its memory from the start cannot be taken for one that grows.
    process.env.JDK_JAVA_OPTIONS = '-Xms512m -XX:+AlwaysPreTouch';
    return { ways: [{ name: 'stack', run: soak, isOnce: true }], close: await provideSharedServers() };
  },
};

/** What was measured after so many transactions, by process. */
interface Sample {
  transactions: number;
  /** Resident memory in bytes, also of the servers; that of Redis without the trees that it stores. */
  memory: Map<string, number>;
  /** Memory that JavaScript uses, with garbage that has not been collected, in bytes. */
  heap: Map<string, number>;
  /** 99th percentile of the delay of the event loop since the last sample, in seconds. */
  delay: Map<string, number>;
}

const HEAP_METRIC = 'nodejs_heap_size_used_bytes';
const DELAY_METRIC = 'nodejs_eventloop_lag_p99_seconds';

/** A chain of which the node has the newest blocks only. */
class LongChain {
  transactions = 0;
  tip = 0;
  private readonly slots: number[] = [];

  constructor(
    private readonly blocks: Generator<GeneratedBlock>,
    readonly node: FakeNode,
  ) {}

  grow(): void {
    const { done, value } = this.blocks.next();
    if (done) throw new Error('the generated ledger ended');
    this.transactions += value.facts.transactions.filter(({ events }) => events.length > 0).length;
    this.tip = value.slot;
    this.slots.push(value.slot);
    this.node.add([value]);
    this.node.requests.length = 0;
  }

  /** Deletes blocks that a fork can no longer concern. */
  trim(indexedSlot: number): void {
    while (this.slots.length > 2 * MAX_BEHIND && this.slots[0] < indexedSlot - MAX_BEHIND) {
      this.node.remove(this.slots.splice(0, 1)[0]);
    }
  }

  countAfter(slot: number): number {
    return this.slots.filter((each) => each > slot).length;
  }
}

async function soak(): Promise<BenchMeasurement> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-soak-'));
  const database = await createTestDatabase({ migrated: false });
  const options = { seed: 7, slots: Number.MAX_SAFE_INTEGER, transactionsPerSlot: TRANSACTIONS_PER_SLOT };
  const chain = new LongChain(generateLedger(options), await FakeNode.start());
  chain.grow();
  const stack = await startStack(chain, folder, database.url);
  const redis = new Redis((await sharedRedis()).url);
  try {
    const startedAt = performance.now();
    const samples = await run(chain, stack, redis);
    printGrowth(samples);
    return { count: chain.transactions, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    redis.disconnect();
    await stack.end('SIGTERM');
    await chain.node.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startStack({ node, tip }: LongChain, folder: string, databaseUrl: string): Promise<FresnelProcess> {
  const treesFile = join(folder, 'trees.json');
  writeFileSync(treesFile, formatTreesFile(generatedTrees()));
  const [kafka, redis] = await Promise.all([sharedKafka(), sharedRedis()]);
  const env = {
    SOLANA_RPC_URL: node.url,
    FRESNEL_DATA_DIR: folder,
    TREES_FILE: treesFile,
    INGEST_START_SLOT: String(tip),
    INGEST_POLL_INTERVAL_MS: '100',
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: kafka.brokers.join(),
    KAFKA_PREFIX: kafka.prefix,
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: redis.prefix,
  };
  const stack = FresnelProcess.start(['--replicas', 'ingest=1,projector=1,prover=1,gateway=1'], env, 'stack');
  await stack.waitForSlot(tip, PATIENCE_MS);
  return stack;
}

async function run(chain: LongChain, stack: FresnelProcess, redis: Redis): Promise<Sample[]> {
  const url = await stack.url();
  const { questions } = new ProofHistory();
  const samples: Sample[] = [];
  while (chain.transactions < TRANSACTIONS) {
    chain.grow();
    const indexedSlot = await findIndexedSlot(url);
    await callRpc(url, { method: 'getMultipleNewAddressProofsV2', params: questions });
    await callRpc(url, { method: 'getIndexerHealth', params: [] });
    chain.trim(indexedSlot);
    while (chain.countAfter(await findIndexedSlot(url)) > MAX_BEHIND) await sleep(50);
    if (chain.transactions >= ((samples.length + 1) * TRANSACTIONS) / SAMPLES) {
      samples.push(await takeSample(chain, stack, redis));
      if (samples.length % (SAMPLES / SAMPLES_SHOWN) === 0) printSample(samples);
    }
  }
  await stack.waitForSlot(chain.tip, PATIENCE_MS);
  return samples;
}

async function takeSample({ transactions }: LongChain, stack: FresnelProcess, redis: Redis): Promise<Sample> {
  const memory = readMemory(process.pid, nameProcess(stack));
  memory.set('redis', (memory.get('redis') ?? 0) - (await readDataSize(redis)));
  const sample: Sample = { transactions, memory, heap: new Map(), delay: new Map() };
  for (const [service, [port]] of Object.entries(healthPortsOf(stack))) {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const valueOf = (metric: string) => Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(metrics)?.[1]);
    sample.heap.set(service, valueOf(HEAP_METRIC));
    sample.delay.set(service, valueOf(DELAY_METRIC));
  }
  return sample;
}

/** Bytes of the keys and values in Redis. */
async function readDataSize(redis: Redis): Promise<number> {
  return Number(/^used_memory_dataset:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

async function findIndexedSlot(url: string): Promise<number> {
  return Number((await callRpc(url, { method: 'getIndexerSlot', params: [] })).result);
}

function healthPortsOf({ output }: FresnelProcess): Record<string, number[]> {
  const [, text] = /"healthPorts":(\{[^}]*\})/.exec(output) ?? [];
  return JSON.parse(text) as Record<string, number[]>;
}

/** Names services by the log lines of the stack, and servers by their programs. Other processes are not counted. */
function nameProcess({ output }: FresnelProcess): (pid: number, command: string) => string | null {
  const started = output.matchAll(/"service":"(\w+)","number":\d+,"pid":(\d+),"msg":"process started"/g);
  const services = new Map([...started].map(([, service, pid]) => [Number(pid), service]));
  return (pid, command) => {
    const service = services.get(pid);
    if (service !== undefined) return service;
    if (/kafka\.Kafka/.test(command)) return 'kafka';
    if (/redis-server/.test(command)) return 'redis';
    return /postgres/.test(command) ? 'postgres' : null;
  };
}

type Measure = 'memory' | 'heap' | 'delay';

const namesOf = (samples: readonly Sample[], measure: Measure) =>
  [...new Set(samples.flatMap((sample) => [...sample[measure].keys()]))].sort();

const valuesOf = (samples: readonly Sample[], measure: Measure, name: string) =>
  samples.map((sample) => sample[measure].get(name) ?? 0);

const cell = (value: number) => value.toFixed(1).padStart(10);

/** Prints the resident memory of the newest sample; with the first one, the names of the processes. */
function printSample(samples: readonly Sample[]): void {
  const names = namesOf(samples, 'memory');
  if (samples.length === SAMPLES / SAMPLES_SHOWN) printNames(names, 'transactions', 'MB resident');
  const { transactions, memory } = samples[samples.length - 1];
  const cells = names.map((name) => cell((memory.get(name) ?? 0) / MB));
  console.log(`  ${transactions.toLocaleString('en').padStart(12)} ${cells.join('')}`);
}

function printNames(names: readonly string[], title: string, unit: string): void {
  console.log(`  ${title.padEnd(12)} ${names.map((name) => name.padStart(10)).join('')}   ${unit}`);
}

/** Prints the growth over the second half, and how long the event loops were delayed in all of it. */
function printGrowth(samples: readonly Sample[]): void {
  const half = samples.slice(Math.floor(samples.length / 2));
  for (const [measure, title] of [
    ['memory', 'resident'],
    ['heap', 'heap'],
  ] as const) {
    const names = namesOf(half, measure);
    const growth = names.map((name) => {
      const values = valuesOf(half, measure, name);
      const points = half.map(({ transactions }, at): Point => ({ x: transactions, y: values[at] }));
      return cell((slopeOf(points) * 100_000) / MB);
    });
    printNames(names, 'second half', 'MB per 100,000 transactions');
    console.log(`  ${title.padEnd(12)} ${growth.join('')}`);
  }
  const names = namesOf(samples, 'delay');
  printNames(names, 'event loop', 'ms, 99th percentile of each interval between two samples');
  for (const [title, share] of [
    ['median', 0.5],
    ['highest', 1],
  ] as const) {
    const cells = names.map((name) => {
      const sorted = valuesOf(samples, 'delay', name).sort((a, b) => a - b);
      return cell(1_000 * sorted[Math.ceil(share * sorted.length) - 1]);
    });
    console.log(`  ${title.padEnd(12)} ${cells.join('')}`);
  }
}
