import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { type TreeHead } from '@fresnel/domain/trees';
import { encodeBase58 } from '@fresnel/domain/primitives';
import { integer, readConfig } from '@fresnel/platform';
import { FakeNode } from '@fresnel/testing/chain';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { FileGtfa, type HistoryFiles, setTreeAccounts, writeHistoryFiles } from '@fresnel/testing/history';
import { provideSharedServers } from '@fresnel/testing/servers';
import { type Environment, FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const { FRESNEL_SNAPSHOT_TRANSACTIONS: TRANSACTIONS } = readConfig({
  FRESNEL_SNAPSHOT_TRANSACTIONS: integer(
    1_000,
    10_000_000,
  )({ default: 20_000, desc: 'Compressed transactions of the generated history' }),
});
const SAMPLE_INTERVAL_MS = 100;
const GENESIS_HASH = encodeBase58(Buffer.alloc(32, 7));
const MB = 1e6;

interface Setting {
  history: HistoryFiles;
  heads: readonly TreeHead[];
  index: TestDatabase;
  folder: string;
}

export const bench: Bench = {
  title: 'Copying an index by a snapshot',
  data: `a generated history of ${TRANSACTIONS.toLocaleString('en')} compressed transactions (FRESNEL_SNAPSHOT_TRANSACTIONS) of every kind, V1 and V2, in ten times as many slots. What makes, verifies and loads is killed once in the middle, and runs again`,
  unit: 'transactions',
  async prepare() {
    const stop = await provideSharedServers();
    const root = mkdtempSync(join(tmpdir(), 'fresnel-snapshot-'));
    const history = await writeHistoryFiles(root, TRANSACTIONS);
    const index = await createTestDatabase();
    const heads = await replay(history, index);
    const setting: Setting = { history, heads, index, folder: join(root, 'snapshot') };
    return {
      ways: [
        { name: 'make', run: () => make(setting), isOnce: true },
        { name: 'make, killed and resumed', run: () => makeTwice(setting, join(root, 'twice')), isOnce: true },
        { name: 'verify', run: () => verify(setting), isOnce: true },
        { name: 'verify, killed and run again', run: () => verifyTwice(setting), isOnce: true },
        { name: 'load', run: () => load(setting, false), isOnce: true },
        { name: 'load, killed and resumed', run: () => load(setting, true), isOnce: true },
        { name: 'backfill from the fake server', run: () => backfill(setting), isOnce: true },
      ],
      close: async () => {
        await index.drop();
        rmSync(root, { recursive: true });
        await stop();
      },
    };
  },
};

async function replay({ ledger, trees }: HistoryFiles, { url, dataSource }: TestDatabase): Promise<TreeHead[]> {
  const env = { DATABASE_URL: url, TREES_FILE: trees, LOG_LEVEL: 'warn' };
  const { code, stderr } = await FresnelProcess.run(['replay', ledger], env);
  if (code !== 0) throw new Error(`the replay failed: ${stderr}`);
  // A ledger file names itself instead of a chain.
  await dataSource.query('UPDATE indexer_state SET genesis_hash = $1', [GENESIS_HASH]);
  return new PostgresTreeReads(dataSource.manager).listHeads();
}

async function make({ history, index, folder }: Setting): Promise<BenchMeasurement> {
  const running = FresnelProcess.start(['snapshot', 'make', folder], { DATABASE_URL: index.url, LOG_LEVEL: 'warn' });
  return measure(running, history, /manifest sha256/, () => `${toMb(sizeOf(folder))} MB of files`);
}

/** Its chunks are those of a run that was not killed. */
async function makeTwice(setting: Setting, folder: string): Promise<BenchMeasurement> {
  const env = { DATABASE_URL: setting.index.url, LOG_LEVEL: 'warn' };
  const killed = FresnelProcess.start(['snapshot', 'make', folder], env);
  while (sizeOf(folder) < sizeOf(setting.folder) / 3) await new Promise((resolve) => setTimeout(resolve, 5));
  await killed.end('SIGKILL');
  const measured = await make({ ...setting, folder });
  const [once, twice] = [setting.folder, folder].map((path) => readFileSync(join(path, 'manifest.json')).toString());
  if (once !== twice) throw new Error('the snapshot of a killed run is another one');
  return measured;
}

function verify({ history, folder }: Setting): Promise<BenchMeasurement> {
  const running = FresnelProcess.start(['snapshot', 'verify', folder], { LOG_LEVEL: 'warn' });
  return measure(running, history, /all have the hashes/);
}

/** It only reads: a run that is killed leaves nothing behind. */
async function verifyTwice(setting: Setting): Promise<BenchMeasurement> {
  const files = readdirSync(setting.folder).sort().join();
  const { seconds } = await verify(setting);
  const killed = FresnelProcess.start(['snapshot', 'verify', setting.folder], { LOG_LEVEL: 'warn' });
  await new Promise((resolve) => setTimeout(resolve, (seconds * 1000) / 2));
  await killed.end('SIGKILL');
  const measured = await verify(setting);
  if (readdirSync(setting.folder).sort().join() !== files) throw new Error('to verify a snapshot changed its folder');
  return measured;
}

async function load(setting: Setting, isKilled: boolean): Promise<BenchMeasurement> {
  return onNewIndex(setting, async (env, database) => {
    const command = ['snapshot', 'load', setting.folder, '--samples', '0'];
    if (isKilled) {
      const killed = FresnelProcess.start(command, env);
      while ((await countTransactions(database)) < TRANSACTIONS / 3) {
        await new Promise((resolve) => setTimeout(resolve, SAMPLE_INTERVAL_MS));
      }
      await killed.end('SIGKILL');
    }
    const measured = await measure(FresnelProcess.start(command, env), setting.history, /history is complete/);
    const count = await countTransactions(database);
    if (count !== (await countTransactions(setting.index))) throw new Error(`${count} transactions are loaded`);
    return measured;
  });
}

async function backfill(setting: Setting): Promise<BenchMeasurement> {
  const fake = await FileGtfa.start(setting.history);
  try {
    return await onNewIndex(setting, (env) => {
      const variables = { ...env, HISTORY_URL: fake.url, INGEST_START_SLOT: String(setting.history.first) };
      return measure(FresnelProcess.start(['backfill'], variables), setting.history, /history is complete/);
    });
  } finally {
    await fake.close();
  }
}

/** Runs something on an empty database, with a node that has the newest blocks and all trees. */
async function onNewIndex<Result>(
  { history, heads }: Setting,
  run: (env: Environment, database: TestDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await createTestDatabase();
  const node = await FakeNode.start(history.recent);
  setTreeAccounts(node, heads);
  node.genesisHash = GENESIS_HASH;
  try {
    return await run({ DATABASE_URL: database.url, SOLANA_RPC_URL: node.url, LOG_LEVEL: 'warn' }, database);
  } finally {
    await node.close();
    await database.drop();
  }
}

async function countTransactions({ dataSource }: TestDatabase): Promise<number> {
  const [{ count }] = await dataSource.query<{ count: string }[]>('SELECT count(*) FROM transactions');
  return Number(count);
}

/** Runs a process to its end. @param result what it prints if it succeeds */
async function measure(
  running: FresnelProcess,
  { slots }: HistoryFiles,
  result: RegExp,
  details?: () => string,
): Promise<BenchMeasurement> {
  const startedAt = performance.now();
  let [cpu, memory] = [NaN, NaN];
  const sampling = setInterval(() => {
    const current = [running.cpuSeconds(), running.peakMemory()];
    if (!current.some(Number.isNaN)) [cpu, memory] = current;
  }, SAMPLE_INTERVAL_MS);
  const { stdout, stderr } = await running.exited();
  clearInterval(sampling);
  if (!result.test(stdout)) throw new Error(`a command failed: ${stdout} ${stderr}`);
  const usage = `${cpu.toFixed(1)} s of CPU, memory of the process at most ${toMb(memory)} MB`;
  return {
    count: slots.length,
    seconds: (performance.now() - startedAt) / 1000,
    details: details ? `${usage}, ${details()}` : usage,
  };
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
