import { parseArgs } from 'node:util';
import { APP_CONFIG, type AppConfig } from '../app.config';
import {
  BackgroundTasks,
  createLogger,
  describeConfig,
  listenForShutdown,
  loadConfig,
  type Logger,
  nestOptions,
  startTracing,
  TRACING_CONFIG,
  whenAborted,
} from '@fresnel/platform';
import { type DatabaseServer, prepareNextStart, startDatabaseServer } from '../database-server';
import { type Command } from './command';

export const startCommand: Command = {
  name: 'start',
  synopsis: '',
  summary: 'index a chain and answer requests (the default)',
  help: `Indexes the chain of SOLANA_RPC_URL, or the demo ledger if it is not set, and answers JSON-RPC on GATEWAY_PORT.
A restart resumes at the last indexed slot. SIGTERM or Ctrl-C stops it.

Environment variables:
${describeConfig(APP_CONFIG)}`,
  async run(args) {
    parseArgs({ args, options: {} });
    const config = loadConfig(APP_CONFIG);
    const logger = createLogger(config.LOG_LEVEL);
    const shutdown = listenForShutdown(logger);
    const tracing = startTracing('fresnel', loadConfig(TRACING_CONFIG), logger);
    const server = startDatabaseServer(config, logger);
    try {
      await serve(config, logger, server, shutdown);
    } finally {
      await server.then(
        (started) => started.stop(),
        () => undefined,
      );
      await tracing.close();
    }
    logger.info('stopped');
    return 0;
  },
};

async function serve(
  config: AppConfig,
  logger: Logger,
  server: Promise<DatabaseServer>,
  shutdown: AbortSignal,
): Promise<void> {
  const { openChain } = await import('../open-chain.js');
  const { ServingAppModule } = await import('../app.module.js');
  const { toGatewayOptions } = await import('@fresnel/features/gateway');
  const { startGateway } = await import('@fresnel/features/gateway/nest');
  const { chain, onListening } = openChain(config, logger);
  const root = ServingAppModule.register({ chain, server });
  const app = await startGateway(root, toGatewayOptions(config), nestOptions(logger));
  try {
    const ended = app.get(BackgroundTasks).whenEnded();
    await Promise.race([onListening(await app.getUrl(), shutdown), ended]);
    prepareNextStart();
    await Promise.race([ended, whenAborted(shutdown)]);
  } finally {
    await app.close();
  }
}
