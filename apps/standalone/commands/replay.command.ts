import { parseArgs } from 'node:util';
import {
  BackgroundTasks,
  createLogger,
  describeConfig,
  listenForShutdown,
  loadConfig,
  type Logger,
  nestOptions,
  startContext,
  whenAborted,
} from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { APP_CONFIG, DATA_DIR } from '../app.config';
import { startDatabaseServer } from '../database-server';
import { type Command, UsageError } from './command';

const REPORT_INTERVAL_MS = 10_000;

export const replayCommand: Command = {
  name: 'replay',
  synopsis: 'LEDGER',
  summary: 'index a recorded ledger as fast as possible and exit',
  help: `LEDGER has one line of JSON per block: the getBlock result with its slot, as "generate" writes it. It is read as gzip if
its name ends in .gz, and first read to its end, to find errors. TREES_FILE lists its trees. Slots that are already indexed are skipped.

Environment variables:
${describeConfig(APP_CONFIG)}`,
  async run(args) {
    const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
    if (positionals.length !== 1) throw new UsageError('replay requires one LEDGER');
    const config = loadConfig(APP_CONFIG);
    const logger = createLogger(config.LOG_LEVEL);
    const shutdown = listenForShutdown(logger);
    const { configuredTrees, LedgerBlockSource } = await import('@fresnel/adapters/chain');
    const { InMemoryBus } = await import('@fresnel/adapters/bus');
    const { toChainConfig } = await import('@fresnel/config');
    const { FollowTask } = await import('@fresnel/features/ingest/nest');
    const { AppModule } = await import('../app.module.js');
    const chainConfig = toChainConfig(config);
    const { accountCompression } = chainConfig.programs;
    const source = new LedgerBlockSource({ path: positionals[0], accountCompression });
    const summary = await Promise.race([source.summarize(reportReading(logger)), whenAborted(shutdown)]);
    if (!summary) return interrupted();
    const { blocks, lastSlot } = summary;
    const chain = { source, treeSource: null, trees: configuredTrees(chainConfig) };
    const server = startDatabaseServer(config, logger, config.FRESNEL_DATA_DIR ?? DATA_DIR);
    const root = AppModule.register({ openChain: () => chain, server, shutdown });
    const app = await startContext(root, nestOptions(logger)).catch((error: unknown) => {
      if (error !== shutdown.reason) throw error;
      return null;
    });
    if (!app) return interrupted();
    const startedAt = now();
    const indexLedger = async () => {
      await app.get(FollowTask, { strict: false }).ended;
      await app.get(InMemoryBus, { strict: false }).waitUntilDrained(shutdown);
    };
    try {
      await Promise.race([indexLedger(), app.get(BackgroundTasks).whenEnded(), whenAborted(shutdown)]);
    } finally {
      await app.close();
    }
    if (shutdown.aborted) return interrupted();
    const seconds = (now() - startedAt) / 1000;
    console.log(`${blocks} blocks up to slot ${lastSlot} indexed in ${seconds.toFixed(1)} s`);
    return 0;
  },
};

function interrupted(): number {
  console.log('interrupted; run the same command to resume');
  return 0;
}

/** A ledger is first read to its end, to find errors. That takes minutes for a large one. */
function reportReading(logger: Logger): (readShare: number) => void {
  let reportedAt = now();
  return (readShare) => {
    if (now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = now();
    logger.info({ percent: Math.floor(readShare * 100) }, 'reading the ledger');
  };
}
