import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { generatedTrees, generateLedger, type GeneratedBlock } from '@fresnel/ledger-generator';
import { integer, readConfig } from '@fresnel/platform';
import { FakeNode } from '@fresnel/testing/chain';
import { BENCH_BLOCK_FILE, type BenchMeasurement, type Point, readBenchBlock, slopeOf } from '@fresnel/testing/generic';
import { ProofHistory } from '@fresnel/testing/ledger';
import { type Environment, type FresnelProcess } from './fresnel-process';
import { readMemory } from './process-memory';
import { callRpc } from './rpc-call';

/** Compressed transactions of a long run. */
const { FRESNEL_SOAK_TRANSACTIONS: LONG_RUN_TRANSACTIONS } = readConfig({
  FRESNEL_SOAK_TRANSACTIONS: integer(
    1,
    1_000_000_000,
  )({
    default: 10_000,
    desc: 'Compressed transactions of the run; one million shows leaks that the default cannot show',
  }),
});
/** Blocks that also have the transactions of a recorded block get fewer, so that the generator keeps up. */
const TRANSACTIONS_PER_SLOT = BENCH_BLOCK_FILE === '' ? 50 : 2;
/** The chain does not grow while Fresnel is so many blocks behind. */
const MAX_BEHIND = 40;
/** Many, because the memory of a process moves by ten percent between collections of its garbage. */
const SAMPLES = 400;
const SAMPLES_SHOWN = 20;
const PATIENCE_MS = 300_000;
const MB = 1024 * 1024;

/** How to run Fresnel, and what is measured of it. */
export interface LongRun {
  /** @param env the chain, and a data folder */
  start(env: Environment): Promise<FresnelProcess>;
  /** The name of a process that is measured; null for others. */
  nameProcess(fresnel: FresnelProcess): (pid: number, command: string) => string | null;
  /** The ports with the metrics of processes, by name. */
  healthPorts(fresnel: FresnelProcess): Record<string, number>;
  /** Bytes that servers store in memory by design, by name: they are subtracted. */
  storedBytes(): Promise<Record<string, number>>;
}

/** What was measured after so many transactions, by process. */
interface Sample {
  transactions: number;
  /** Resident memory in bytes, also of the servers. */
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
  private readonly recorded = BENCH_BLOCK_FILE === '' ? '' : transactionsOf(readBenchBlock().toString());

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
    this.node.add([{ ...value, json: this.fill(value.json) }]);
    this.node.requests.length = 0;
  }

  /** Adds the transactions of the recorded block. */
  private fill(json: string): string {
    if (this.recorded === '') return json;
    return json.replace(/"transactions":\[(]?)/, (_, end) => `"transactions":[${this.recorded}${end || ','}`);
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

/** The texts of the transactions, with commas between them. */
function transactionsOf(block: string): string {
  const { transactions } = JSON.parse(block) as { transactions: unknown[] };
  return transactions.map((transaction) => JSON.stringify(transaction)).join(',');
}

/** The chain of a long run, for the description of a bench. */
export const LONG_RUN_CHAIN = `${LONG_RUN_TRANSACTIONS.toLocaleString('en')} compressed transactions (FRESNEL_SOAK_TRANSACTIONS), ${TRANSACTIONS_PER_SLOT} in a block${
  BENCH_BLOCK_FILE === '' ? '' : ` beside those of ${BENCH_BLOCK_FILE}`
}`;

/** Has Fresnel index a generated chain while proofs are requested, and prints how the memory of its processes changes. */
export async function measureLongRun(run: LongRun): Promise<BenchMeasurement> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-soak-'));
  const options = { seed: 7, slots: Number.MAX_SAFE_INTEGER, transactionsPerSlot: TRANSACTIONS_PER_SLOT };
  const chain = new LongChain(generateLedger(options), await FakeNode.start());
  chain.grow();
  const treesFile = join(folder, 'trees.json');
  writeFileSync(treesFile, formatTreesFile(generatedTrees()));
  const fresnel = await run.start({
    SOLANA_RPC_URL: chain.node.url,
    FRESNEL_DATA_DIR: folder,
    TREES_FILE: treesFile,
    INGEST_START_SLOT: String(chain.tip),
    INGEST_POLL_INTERVAL_MS: '100',
  });
  try {
    await fresnel.waitForSlot(chain.tip, PATIENCE_MS);
    const startedAt = performance.now();
    const samples = await growAndSample(chain, fresnel, run);
    printGrowth(samples);
    return { count: chain.transactions, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await fresnel.end('SIGTERM');
    await chain.node.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function growAndSample(chain: LongChain, fresnel: FresnelProcess, run: LongRun): Promise<Sample[]> {
  const url = await fresnel.url();
  const { questions } = new ProofHistory();
  const samples: Sample[] = [];
  while (chain.transactions < LONG_RUN_TRANSACTIONS) {
    chain.grow();
    const indexedSlot = await findIndexedSlot(url);
    await callRpc(url, { method: 'getMultipleNewAddressProofsV2', params: questions });
    await callRpc(url, { method: 'getIndexerHealth', params: [] });
    chain.trim(indexedSlot);
    while (chain.countAfter(await findIndexedSlot(url)) > MAX_BEHIND) await sleep(50);
    if (chain.transactions >= ((samples.length + 1) * LONG_RUN_TRANSACTIONS) / SAMPLES) {
      samples.push(await takeSample(chain, fresnel, run));
      if (samples.length % (SAMPLES / SAMPLES_SHOWN) === 0) printSample(samples);
    }
  }
  await fresnel.waitForSlot(chain.tip, PATIENCE_MS);
  return samples;
}

async function takeSample({ transactions }: LongChain, fresnel: FresnelProcess, run: LongRun): Promise<Sample> {
  const memory = readMemory(process.pid, run.nameProcess(fresnel));
  for (const [name, bytes] of Object.entries(await run.storedBytes())) {
    memory.set(name, (memory.get(name) ?? 0) - bytes);
  }
  const sample: Sample = { transactions, memory, heap: new Map(), delay: new Map() };
  for (const [service, port] of Object.entries(run.healthPorts(fresnel))) {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const valueOf = (metric: string) => Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(metrics)?.[1]);
    sample.heap.set(service, valueOf(HEAP_METRIC));
    sample.delay.set(service, valueOf(DELAY_METRIC));
  }
  return sample;
}

async function findIndexedSlot(url: string): Promise<number> {
  return Number((await callRpc(url, { method: 'getIndexerSlot', params: [] })).result);
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
