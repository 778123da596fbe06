import { parseArgs } from 'node:util';
import { type Chain } from '@fresnel/adapters/chain';
import { toSlot } from '@fresnel/domain/primitives';
import {
  BackgroundTasks,
  ConfigError,
  createLogger,
  describeConfig,
  listenForShutdown,
  loadConfig,
  type Logger,
  nestOptions,
  startContext,
  whenAborted,
} from '@fresnel/platform';
import { APP_CONFIG, type AppConfig } from '../app.config';
import { type AppModuleOptions } from '../app.module';
import { startDatabaseServer } from '../database-server';
import { type Command, UsageError } from './command';

const DEFAULT_SAMPLE_CALLS = 500;
/** The exit code if history lacks something. */
const INCOMPLETE = 3;

interface BackfillOptions {
  json: boolean;
  sampleCalls: number;
  pricePerCall: number | null;
}

export const backfillCommand: Command = {
  name: 'backfill',
  synopsis: '[--dry-run] [--json]',
  summary: 'index the past from HISTORY_URL, and prove that nothing is missing',
  help: `Indexes the past of the chain of SOLANA_RPC_URL from the history sources of HISTORY_URL, up to a block of the node, the anchor, and
compares it with the trees of the chain. What the first source lacks is asked of the second one. "fresnel start" goes on from there.
It can be interrupted at any time, also by a crash: the same command resumes.

  --dry-run                say what it would need: transactions, requests, price and time, from a sample
  --sample-calls N         requests that the sample may cost (default ${DEFAULT_SAMPLE_CALLS})
  --price-per-call DOLLARS price of a request with up to a thousand transactions
  --json                   write JSON

Exit code: 0 if history is complete; ${INCOMPLETE} if it lacks something: then proofs of the trees that are listed are refused;
1 if it could not be compared with the chain, as with a node that does not list the accounts of a program: the same command tries again.

Environment variables:
${describeConfig(APP_CONFIG)}`,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        'dry-run': { type: 'boolean', default: false },
        'sample-calls': { type: 'string', default: String(DEFAULT_SAMPLE_CALLS) },
        'price-per-call': { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const options = {
      json: values.json,
      sampleCalls: toNumber('--sample-calls', values['sample-calls']),
      pricePerCall:
        values['price-per-call'] === undefined ? null : toNumber('--price-per-call', values['price-per-call']),
    };
    const config = loadConfig(APP_CONFIG);
    if (config.SOLANA_RPC_URL === undefined || config.HISTORY_URL === undefined) {
      throw new ConfigError('backfill requires SOLANA_RPC_URL and HISTORY_URL');
    }
    const logger = createLogger(config.LOG_LEVEL);
    const shutdown = listenForShutdown(logger);
    return values['dry-run']
      ? estimate(config, options, logger, shutdown)
      : backfill(config, options, logger, shutdown);
  },
};

function toNumber(option: string, text: string): number {
  const number = Number(text);
  if (text === '' || !Number.isFinite(number) || number < 0) throw new UsageError(`${option} requires a number`);
  return number;
}

/**
 * @param onAnchor called when the past is published, before blocks of the node are; the index has then what the past has
 * @returns the exit code
 */
export async function backfill(
  config: AppConfig,
  { json }: Pick<BackfillOptions, 'json'>,
  logger: Logger,
  shutdown: AbortSignal,
  onAnchor: AppModuleOptions['onAnchor'] = () => Promise.resolve(),
): Promise<number> {
  const { Database } = await import('@fresnel/adapters/store-schema');
  const { HistoryStore } = await import('@fresnel/adapters/store-write');
  const { HistoryTask } = await import('@fresnel/features/ingest/nest');
  const { describeFinding, toFindingJson } = await import('@fresnel/features/operations');
  const { AppModule } = await import('../app.module.js');
  const { selectChain } = await import('../select-chain.js');
  const { open } = selectChain(config, logger);
  const server = startDatabaseServer(config, logger);
  // A run that resumes at the anchor may have been compared with the chain before `onAnchor` has ended.
  let pass: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (pass = resolve));
  const root = AppModule.register({
    openChain: open,
    server,
    shutdown,
    historyRecheck: 'always',
    onAnchor: (index) => onAnchor(index).then(pass),
  });
  const app = await startContext(root, nestOptions(logger)).catch((error: unknown) => {
    if (error !== shutdown.reason) throw error;
    return null;
  });
  if (!app) return interrupted();
  try {
    const compared = app.get(HistoryTask, { strict: false }).ended;
    await Promise.race([Promise.all([compared, passed]), app.get(BackgroundTasks).whenEnded(), whenAborted(shutdown)]);
    if (shutdown.aborted) return interrupted();
    const history = new HistoryStore(app.get(Database, { strict: false }).dataSource);
    const coverage = await history.findCoverage();
    const findings = (await history.listFindings()).map(toFindingJson);
    if (json) console.log(JSON.stringify({ history: coverage, findings }, null, 2));
    else {
      for (const finding of findings) console.log(describeFinding(finding));
      const result = findings.length === 0 ? 'history is complete' : 'history is not complete';
      console.log(`${result}: ${coverage?.transactions ?? 0} transactions; go on with: fresnel start`);
    }
    return findings.length === 0 ? 0 : INCOMPLETE;
  } finally {
    await app.close();
  }
}

async function estimate(
  config: AppConfig,
  { json, sampleCalls: maxCalls, pricePerCall }: BackfillOptions,
  logger: Logger,
  shutdown: AbortSignal,
): Promise<number> {
  const { describeEstimate, estimateHistory } = await import('@fresnel/features/operations');
  const { toChainConfig } = await import('@fresnel/config');
  const { HISTORY_PART_SLOTS } = await import('@fresnel/adapters/chain');
  const { selectChain } = await import('../select-chain.js');
  const nothing = () => Promise.resolve(null);
  const storedHistory = {
    findAnchor: nothing,
    findNewestBlock: nothing,
    findBlockTime: nothing,
    decideAnchor: unexpected,
  };
  const chain = selectChain(config, logger).open({ storedTimes: () => Promise.resolve([]), storedHistory });
  const { programs, history } = toChainConfig(config);
  const [source] = requireHistory(chain);
  const from = await chain.source.findFirstSlot?.(shutdown);
  const to = (await chain.source.findTip(shutdown)) - (history?.anchorDistance ?? 0);
  if (from === undefined || to < from) throw new UsageError('there is no past to read: the index begins above it');
  const result = await estimateHistory(
    source,
    {
      range: { from, to: toSlot(to) },
      about: programs.accountCompression,
      maxCalls,
      concurrency: history?.concurrency ?? 1,
      partSlots: HISTORY_PART_SLOTS,
      pricePerCall,
    },
    shutdown,
    ({ estimate: transactions }) => {
      logger.debug({ transactions }, 'counting transactions');
    },
  );
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : describeEstimate(result));
  return 0;
}

function requireHistory({ history }: Chain): NonNullable<Chain['history']> {
  if (!history) throw new ConfigError('backfill requires HISTORY_URL');
  return history;
}

function unexpected(): Promise<never> {
  return Promise.reject(new Error('a dry run decides nothing'));
}

export function interrupted(): number {
  console.log('interrupted; run the same command to resume');
  return 0;
}
