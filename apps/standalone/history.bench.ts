import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { encodeBase58 } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { integer, readConfig } from '@fresnel/platform';
import { FakeNode } from '@fresnel/testing/chain';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { FileGtfa, type HistoryFiles, setTreeAccounts, writeHistoryFiles } from '@fresnel/testing/history';
import { provideSharedServers } from '@fresnel/testing/servers';
import { type Environment, FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, digestState, type TestDatabase, withoutBlocks } from '@fresnel/testing/store';

const { FRESNEL_HISTORY_TRANSACTIONS: TRANSACTIONS } = readConfig({
  FRESNEL_HISTORY_TRANSACTIONS: integer(
    1_000,
    10_000_000,
  )({ default: 20_000, desc: 'Compressed transactions of the generated history' }),
});
const SAMPLE_INTERVAL_MS = 100;
const KILL_INTERVAL_MS = 20_000;
const GENESIS_HASH = encodeBase58(Buffer.alloc(32, 7));
const MB = 1e6;

/** A history, and the index that a replay has made of it. */
interface Setting {
  history: HistoryFiles;
  index: TestDatabase;
  heads: readonly TreeHead[];
  /** A digest of the index's tables, without its blocks, of which a history source tells less. */
  tables: string[];
  /** Where its snapshot is. */
  folder: string;
}

/** A command that has ended by itself. */
interface Run {
  startedAt: number;
  endedAt: number;
  /** CPU and memory of the process. */
  usage: string;
}

export const bench: Bench = {
  title: 'Indexing the past in one process, from a history source and from a snapshot',
  data: `a generated history of ${TRANSACTIONS.toLocaleString('en')} compressed transactions (FRESNEL_HISTORY_TRANSACTIONS) of every kind, V1 and V2, in ten times as many slots; all trees, compared with the chain at the end; new databases. Each ends with the same tables, also what is killed`,
  unit: 'transactions',
  async prepare() {
    const stop = await provideSharedServers();
    const root = mkdtempSync(join(tmpdir(), 'fresnel-history-'));
    const history = await writeHistoryFiles(root, TRANSACTIONS);
    const index = await createTestDatabase();
    // First, because it computes the trees that the chain has.
    const replayed = await replay(history, index);
    const heads = await new PostgresTreeReads(index.dataSource.manager).listHeads();
    const tables = withoutBlocks(await digestState(index.dataSource));
    const setting = { history, index, heads, tables, folder: join(root, 'snapshot') };
    return {
      ways: [
        { name: 'backfill', run: () => backfill(setting), isOnce: true },
        { name: 'replay of the same transactions', run: () => Promise.resolve(replayed), isOnce: true },
        { name: 'snapshot make', run: () => make(setting), isOnce: true },
        { name: 'snapshot make, killed once and resumed', run: () => makeTwice(setting), isOnce: true },
        { name: 'snapshot verify', run: () => verify(setting), isOnce: true },
        { name: 'snapshot load, killed once and resumed', run: () => load(setting), isOnce: true },
        { name: 'backfill, killed every 20 s', run: () => backfillKilled(setting), isOnce: true },
      ],
      close: async () => {
        await index.drop();
        rmSync(root, { recursive: true });
        await stop();
      },
    };
  },
};

async function replay({ ledger, trees, slots }: HistoryFiles, { url, dataSource }: TestDatabase) {
  const env = { DATABASE_URL: url, TREES_FILE: trees, LOG_LEVEL: 'warn' };
  const running = FresnelProcess.start(['replay', ledger], env);
  const { usage } = await runToEnd(running, /indexed in/);
  const [, seconds] = await running.waitFor(/indexed in ([\d.]+) s/);
  // A ledger file names itself instead of a chain.
  await dataSource.query('UPDATE indexer_state SET genesis_hash = $1', [GENESIS_HASH]);
  return { count: slots.length, seconds: Number(seconds), details: usage };
}

/** The rate is that from the first request on. */
function backfill(setting: Setting): Promise<BenchMeasurement> {
  return fromSource(setting, async (env, fake) => {
    let ofFirstQuarter = NaN;
    const running = FresnelProcess.start(['backfill'], env);
    const { endedAt, usage } = await runToEnd(running, /history is complete/, () => {
      if (fake.given < TRANSACTIONS / 4) ofFirstQuarter = running.peakMemory();
    });
    const { requests } = fake.provider;
    const quarter = `${toMb(ofFirstQuarter)} MB up to the first quarter`;
    const calls = `${requests.length} calls, ${toMb(fake.givenBytes)} MB of answers`;
    return { seconds: (endedAt - requests[0].at) / 1000, details: `${usage}, ${quarter}, ${calls}` };
  });
}

/** Kills the process again and again, and resumes, until a run ends by itself. */
function backfillKilled(setting: Setting): Promise<BenchMeasurement> {
  return fromSource(setting, async (env) => {
    const startedAt = performance.now();
    for (let kills = 0; ; kills++) {
      const running = FresnelProcess.start(['backfill'], env);
      const killing = setTimeout(() => {
        running.signal('SIGKILL');
      }, KILL_INTERVAL_MS);
      const { signal } = await running.exited();
      clearTimeout(killing);
      if (signal === 'SIGKILL') continue;
      const { endedAt } = await runToEnd(running, /history is complete/);
      return { seconds: (endedAt - startedAt) / 1000, details: `${kills} kills` };
    }
  });
}

async function make({ index, history, folder }: Setting): Promise<BenchMeasurement> {
  const env = { DATABASE_URL: index.url, LOG_LEVEL: 'warn' };
  const run = await runToEnd(FresnelProcess.start(['snapshot', 'make', folder], env), /manifest sha256/);
  return { ...measured(history, run), details: `${run.usage}, ${toMb(sizeOf(folder))} MB of files` };
}

/** Its files are those of a run that was not killed. */
async function makeTwice(setting: Setting): Promise<BenchMeasurement> {
  const folder = `${setting.folder}-twice`;
  const startedAt = performance.now();
  const env = { DATABASE_URL: setting.index.url, LOG_LEVEL: 'warn' };
  const killed = FresnelProcess.start(['snapshot', 'make', folder], env);
  while (sizeOf(folder) < sizeOf(setting.folder) / 3) await sleep(SAMPLE_INTERVAL_MS / 10);
  await killed.end('SIGKILL');
  const { count, details } = await make({ ...setting, folder });
  const [once, twice] = [setting.folder, folder].map((path) => readFileSync(join(path, 'manifest.json')).toString());
  if (once !== twice) throw new Error('the snapshot of a killed run is another one');
  rmSync(folder, { recursive: true });
  return { count, details, seconds: (performance.now() - startedAt) / 1000 };
}

/** It only reads, so that a run that is killed leaves nothing behind. */
async function verify({ history, folder }: Setting): Promise<BenchMeasurement> {
  const start = () => FresnelProcess.start(['snapshot', 'verify', folder], { LOG_LEVEL: 'warn' });
  const files = readdirSync(folder).sort().join();
  const run = await runToEnd(start(), /all have the hashes/);
  const killed = start();
  await sleep((run.endedAt - run.startedAt) / 2);
  await killed.end('SIGKILL');
  await runToEnd(start(), /all have the hashes/);
  if (readdirSync(folder).sort().join() !== files) throw new Error('to verify a snapshot changed its folder');
  return measured(history, run);
}

function load(setting: Setting): Promise<BenchMeasurement> {
  return onNewIndex(setting, async (env, { dataSource }) => {
    const command = ['snapshot', 'load', setting.folder, '--samples', '0'];
    const killed = FresnelProcess.start(command, env);
    const startedAt = performance.now();
    const limit = TRANSACTIONS / 3;
    // An OFFSET reads less than a count of all.
    const isFar = async () => (await dataSource.query(`SELECT 1 FROM transactions OFFSET ${limit} LIMIT 1`)).length > 0;
    while (!(await isFar())) await sleep(SAMPLE_INTERVAL_MS);
    await killed.end('SIGKILL');
    const { endedAt, usage } = await runToEnd(FresnelProcess.start(command, env), /history is complete/);
    return { seconds: (endedAt - startedAt) / 1000, details: usage };
  });
}

type Measured = Pick<BenchMeasurement, 'seconds' | 'details'>;

/** Runs something on an empty database, with a source that has the history. */
async function fromSource(setting: Setting, run: (env: Environment, fake: FileGtfa) => Promise<Measured>) {
  const fake = await FileGtfa.start(setting.history);
  try {
    const variables = { HISTORY_URL: fake.url, INGEST_START_SLOT: String(setting.history.first) };
    return await onNewIndex(setting, (env) => run({ ...env, ...variables }, fake));
  } finally {
    await fake.close();
  }
}

/**
 * Runs something on an empty database, with a node that has the newest blocks and all trees.
 *
 * @throws if its tables are others than those of the replay
 */
async function onNewIndex(
  { history, heads, tables }: Setting,
  run: (env: Environment, database: TestDatabase) => Promise<Measured>,
): Promise<BenchMeasurement> {
  const database = await createTestDatabase();
  const node = await FakeNode.start(history.recent);
  setTreeAccounts(node, heads);
  node.genesisHash = GENESIS_HASH;
  try {
    const result = await run({ DATABASE_URL: database.url, SOLANA_RPC_URL: node.url, LOG_LEVEL: 'warn' }, database);
    const made = withoutBlocks(await digestState(database.dataSource));
    if (made.join() !== tables.join()) throw new Error(`other tables than those of the replay: ${made.join(', ')}`);
    return { count: history.slots.length, ...result };
  } finally {
    await node.close();
    await database.drop();
  }
}

/**
 * Waits until a command ends by itself.
 *
 * @param result what it prints if it succeeds
 */
async function runToEnd(running: FresnelProcess, result: RegExp, onSample = () => {}): Promise<Run> {
  const startedAt = performance.now();
  let [cpu, memory] = [NaN, NaN];
  const sampling = setInterval(() => {
    const current = [running.cpuSeconds(), running.peakMemory()];
    if (current.some(Number.isNaN)) return;
    [cpu, memory] = current;
    onSample();
  }, SAMPLE_INTERVAL_MS);
  const { stdout, stderr } = await running.exited();
  clearInterval(sampling);
  if (!result.test(stdout)) throw new Error(`a command failed: ${stdout} ${stderr}`);
  const usage = `${cpu.toFixed(1)} s of CPU, memory of the process at most ${toMb(memory)} MB`;
  return { startedAt, endedAt: performance.now(), usage };
}

function measured({ slots }: HistoryFiles, { startedAt, endedAt, usage }: Run): BenchMeasurement {
  return { count: slots.length, seconds: (endedAt - startedAt) / 1000, details: usage };
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return 0;
  }
}

function toMb(bytes: number): number {
  return Math.round(bytes / MB);
}
