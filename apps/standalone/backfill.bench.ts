import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { type TreeHead } from '@fresnel/domain/trees';
import { integer, readConfig } from '@fresnel/platform';
import { FakeNode } from '@fresnel/testing/chain';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { FileGtfa, type HistoryFiles, setTreeAccounts, writeHistoryFiles } from '@fresnel/testing/history';
import { provideSharedServers } from '@fresnel/testing/servers';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';

const { FRESNEL_BACKFILL_TRANSACTIONS: TRANSACTIONS } = readConfig({
  FRESNEL_BACKFILL_TRANSACTIONS: integer(
    1_000,
    10_000_000,
  )({ default: 1_000_000, desc: 'Compressed transactions of the generated history' }),
});
const SAMPLE_INTERVAL_MS = 100;
const KILL_INTERVAL_MS = 20_000;
const MB = 1e6;

export const bench: Bench = {
  title: 'Indexing the past from a history source in one process',
  data: `a generated history of ${TRANSACTIONS.toLocaleString('en')} compressed transactions (FRESNEL_BACKFILL_TRANSACTIONS) of every kind, V1 and V2, in ten times as many slots; all trees, compared with the chain at the end; a new database. The killed one ends with the same tables`,
  unit: 'transactions',
  async prepare() {
    const stop = await provideSharedServers();
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-backfill-'));
    const history = await writeHistoryFiles(folder, TRANSACTIONS);
    // First, because it computes the trees that the chain has.
    const { heads, measurement } = await onDatabase((database) => replay(history, database));
    let tables = '';
    const run = async (database: TestDatabase) => {
      const measured = await backfill(history, heads, database);
      tables = await digestState(database.dataSource);
      return measured;
    };
    const runKilled = async (database: TestDatabase) => {
      const measured = await backfillKilled(history, heads, database);
      if ((await digestState(database.dataSource)) !== tables) throw new Error('the kills have changed the tables');
      return measured;
    };
    return {
      ways: [
        { name: 'backfill', run: () => onDatabase(run), isOnce: true },
        { name: 'backfill, killed every 20 s', run: () => onDatabase(runKilled), isOnce: true },
        { name: 'replay of the same transactions', run: () => Promise.resolve(measurement), isOnce: true },
      ],
      close: async () => {
        rmSync(folder, { recursive: true });
        await stop();
      },
    };
  },
};

async function onDatabase<Result>(run: (database: TestDatabase) => Promise<Result>): Promise<Result> {
  const database = await createTestDatabase();
  try {
    return await run(database);
  } finally {
    await database.drop();
  }
}

async function replay({ ledger, trees, slots }: HistoryFiles, { url, dataSource }: TestDatabase) {
  const running = FresnelProcess.start(['replay', ledger], { DATABASE_URL: url, TREES_FILE: trees, LOG_LEVEL: 'warn' });
  const { usage } = await runToEnd(running);
  const [, seconds] = await running.waitFor(/indexed in ([\d.]+) s/);
  const heads = await new PostgresTreeReads(dataSource.manager).listHeads();
  return { heads, measurement: { count: slots.length, seconds: Number(seconds), details: describe(usage) } };
}

async function backfill(
  history: HistoryFiles,
  heads: readonly TreeHead[],
  { url }: TestDatabase,
): Promise<BenchMeasurement> {
  const count = history.slots.length;
  const node = await FakeNode.start(history.recent);
  setTreeAccounts(node, heads);
  const fake = await FileGtfa.start(history);
  const running = startBackfill(history, node, fake, url);
  const ofFirstQuarter: Usage[] = [];
  const { usage, endedAt } = await runToEnd(running, (current) => {
    if (fake.given < count / 4) ofFirstQuarter.push(current);
  });
  await running.waitFor(/history is complete/);
  const { requests } = fake.provider;
  await Promise.all([fake.close(), node.close()]);
  const calls = `${requests.length} calls, ${toMb(fake.givenBytes)} MB of answers`;
  const details = `${describe(usage)}, ${toMb(ofFirstQuarter.at(-1)?.peakMemory)} MB up to the first quarter, ${calls}`;
  return { count, seconds: (endedAt - requests[0].at) / 1000, details };
}

/** Kills the process again and again, and resumes, until a run ends by itself. */
async function backfillKilled(
  history: HistoryFiles,
  heads: readonly TreeHead[],
  { url }: TestDatabase,
): Promise<BenchMeasurement> {
  const node = await FakeNode.start(history.recent);
  setTreeAccounts(node, heads);
  const fake = await FileGtfa.start(history);
  const startedAt = performance.now();
  let kills = -1;
  let running: FresnelProcess;
  do {
    kills++;
    running = startBackfill(history, node, fake, url);
    const killing = setTimeout(running.signal.bind(running), KILL_INTERVAL_MS, 'SIGKILL');
    await running.exited();
    clearTimeout(killing);
  } while ((await running.exited()).signal === 'SIGKILL');
  await running.waitFor(/history is complete/);
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all([fake.close(), node.close()]);
  return { count: history.slots.length, seconds, details: `${kills} kills` };
}

function startBackfill({ first }: HistoryFiles, node: FakeNode, fake: FileGtfa, url: string): FresnelProcess {
  return FresnelProcess.start(['backfill'], {
    DATABASE_URL: url,
    SOLANA_RPC_URL: node.url,
    HISTORY_URL: fake.url,
    INGEST_START_SLOT: String(first),
    LOG_LEVEL: 'warn',
  });
}

interface Usage {
  cpuSeconds: number;
  /** In bytes. */
  peakMemory: number;
}

/** Reads what a process has used, until it exits. @returns the last reading */
async function runToEnd(running: FresnelProcess, onUsage: (usage: Usage) => void = () => undefined) {
  let usage: Usage = { cpuSeconds: NaN, peakMemory: NaN };
  const sampling = setInterval(() => {
    const current = { cpuSeconds: running.cpuSeconds(), peakMemory: running.peakMemory() };
    if (Number.isNaN(current.cpuSeconds + current.peakMemory)) return;
    usage = current;
    onUsage(usage);
  }, SAMPLE_INTERVAL_MS);
  await running.exited();
  clearInterval(sampling);
  return { usage, endedAt: performance.now() };
}

function describe({ cpuSeconds, peakMemory }: Usage): string {
  return `${cpuSeconds.toFixed(1)} s of CPU, memory of the process at most ${toMb(peakMemory)} MB`;
}

function toMb(bytes = NaN): number {
  return Math.round(bytes / MB);
}
