import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { encodeBase58 } from '@fresnel/domain/primitives';
import { ACTION_NAMES, type ActionWeights, generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { integer, readConfig } from '@fresnel/platform';
import {
  type Bench,
  BENCH_BLOCK_FILE,
  type BenchMeasurement,
  type BenchWay,
  readBenchBlock,
} from '@fresnel/testing/generic';
import { FresnelProcess, readMemory } from '@fresnel/testing/stack';

const { FRESNEL_BENCH_TRANSACTIONS: TRANSACTIONS } = readConfig({
  FRESNEL_BENCH_TRANSACTIONS: integer(
    1,
    10_000_000,
  )({ default: 20_000, desc: 'Compressed transactions of the generated ledger' }),
});
const TRANSACTIONS_PER_SLOT = 100;
/** Copies of the recorded block, in consecutive slots. */
const COPIES = 100;
const MEMORY_INTERVAL_MS = 500;
const MB = 1024 * 1024;

/** A ledger in a file, and how many units of the bench it has. */
interface LedgerFile {
  path: string;
  count: number;
  /** Further environment variables of the process. */
  env: Record<string, string>;
  /** Shown beside the rate. */
  details?: string;
}

/** The ledger of a bench. */
interface LedgerKind {
  description: string;
  weights: ActionWeights;
}

const KINDS: Record<string, LedgerKind> = {
  'every kind of transaction': {
    description: 'with every kind of event: also nullified leaves, batches of queues, and addresses',
    weights: {},
  },
  'token transfers': {
    description: 'of tokens alone, which append to state trees, and nullify nothing in them',
    weights: { ...Object.fromEntries(ACTION_NAMES.map((name) => [name, 0])), mintTokens: 1, transferTokens: 9 },
  },
};

export const benches: Bench[] = [
  ...Object.entries(KINDS).map(([name, { description, weights }]) => ({
    title: `Catching up with a chain in one process: ${name}`,
    data: `a generated ledger of ${TRANSACTIONS.toLocaleString('en')} compressed transactions (FRESNEL_BENCH_TRANSACTIONS), ${TRANSACTIONS_PER_SLOT} in a block, ${description}; all trees; a new embedded Postgres`,
    unit: 'transactions',
    prepare: () => prepare((folder) => writeGenerated(folder, weights)),
  })),
  ...(BENCH_BLOCK_FILE === ''
    ? []
    : [
        {
          title: 'Catching up with a chain in one process: a recorded block',
          data: `${COPIES} copies of ${BENCH_BLOCK_FILE}, in consecutive slots; a new embedded Postgres`,
          unit: 'blocks',
          prepare: () => prepare(writeCopies),
        },
      ]),
];

async function prepare(write: (folder: string) => Promise<LedgerFile>): ReturnType<Bench['prepare']> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-catch-up-'));
  const ledger = await write(folder);
  const parse: BenchWay = {
    name: 'JSON.parse of the blocks alone',
    run: () => {
      for (const line of readFileSync(ledger.path, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
      return Promise.resolve(ledger.count);
    },
  };
  return {
    ways: [{ name: 'Fresnel', run: () => replay(folder, ledger) }, parse],
    close: () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

async function replay(folder: string, { path, count, env, details }: LedgerFile): Promise<BenchMeasurement> {
  const data = mkdtempSync(join(folder, 'data-'));
  const running = FresnelProcess.start(['replay', path], { FRESNEL_DATA_DIR: data, LOG_LEVEL: 'warn', ...env });
  let peak = 0;
  const sampling = setInterval(() => {
    const memory = readMemory(process.pid, (_, command) => (command.includes(` replay ${path}`) ? 'fresnel' : null));
    peak = Math.max(peak, memory.get('fresnel') ?? 0);
  }, MEMORY_INTERVAL_MS);
  try {
    const [, seconds] = await running.waitFor(/indexed in ([\d.]+) s/, 3_600_000);
    await running.exited();
    const memory = `memory of the process at most ${Math.round(peak / MB)} MB`;
    return { count, seconds: Number(seconds), details: details === undefined ? memory : `${memory}, ${details}` };
  } finally {
    clearInterval(sampling);
    rmSync(data, { recursive: true, force: true });
  }
}

async function writeGenerated(folder: string, weights: ActionWeights): Promise<LedgerFile> {
  const path = join(folder, 'ledger.ndjson');
  const treesFile = join(folder, 'trees.json');
  writeFileSync(treesFile, formatTreesFile(generatedTrees()));
  const file = createWriteStream(path);
  let [count, created, nullified] = [0, 0, 0];
  const options = { seed: 3, slots: 1e9, transactionsPerSlot: TRANSACTIONS_PER_SLOT, weights };
  for (const { json, facts } of generateLedger(options)) {
    const events = facts.transactions.map((transaction) => transaction.events);
    count += events.filter(({ length }) => length > 0).length;
    for (const event of events.flat()) {
      if (event.kind === 'transition') created += event.outputs.length;
      if (event.kind === 'leaves-nullified') nullified += event.leafIndices.length;
      if (event.kind === 'inputs-nullified') nullified += event.newNextIndex - event.oldNextIndex;
    }
    if (!file.write(`${json}\n`)) await once(file, 'drain');
    if (count >= TRANSACTIONS) break;
  }
  file.end();
  await once(file, 'close');
  const share = Math.round((100 * nullified) / created);
  const details = `${created.toLocaleString('en')} leaves, ${share} % of them nullified`;
  return { path, count, env: { TREES_FILE: treesFile }, details };
}

/** Gives the copies slots, block hashes and parents of their own; their transactions keep their signatures. */
async function writeCopies(folder: string): Promise<LedgerFile> {
  const path = join(folder, 'ledger.ndjson');
  const block = readBenchBlock().toString();
  const file = createWriteStream(path);
  for (let slot = 1; slot <= COPIES; slot++) {
    const copy = block
      .replace(/"blockhash":"\w+"/, `"blockhash":"${hashOf(slot)}"`)
      .replace(/"previousBlockhash":"\w+"/, `"previousBlockhash":"${hashOf(slot - 1)}"`)
      .replace(/"parentSlot":\d+/, `"parentSlot":${slot - 1}`)
      .replace('{', `{"slot":${slot},`);
    if (!file.write(`${copy.trim()}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return { path, count: COPIES, env: {} };
}

function hashOf(slot: number): string {
  const hash = Buffer.alloc(32, 1);
  hash.writeUInt32BE(slot);
  return encodeBase58(hash);
}
