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
import { DatabaseRestartedError, type DatabaseServer, startDatabaseServer } from '../database-server';
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
    try {
      let port: number | null = config.GATEWAY_PORT;
      while (port !== null) port = await serve(config, logger, port, shutdown);
    } catch (error) {
      if (error !== shutdown.reason) throw error;
    } finally {
      await tracing.close();
    }
    logger.info('stopped');
    return 0;
  },
};

/** @returns the port on which to serve again, because the embedded Postgres has restarted; null after a shutdown */
async function serve(config: AppConfig, logger: Logger, port: number, shutdown: AbortSignal): Promise<number | null> {
  const server = startDatabaseServer(config, logger);
  try {
    return await serveFrom(server, config, logger, port, shutdown);
  } finally {
    await server.then(
      (started) => started.stop(),
      () => undefined,
    );
  }
}

async function serveFrom(
  server: Promise<DatabaseServer>,
  config: AppConfig,
  logger: Logger,
  port: number,
  shutdown: AbortSignal,
): Promise<number | null> {
  const { selectChain } = await import('../select-chain.js');
  const { ServingAppModule } = await import('../app.module.js');
  const { toGatewayOptions } = await import('@fresnel/features/gateway');
  const { startGateway } = await import('@fresnel/features/gateway/nest');
  const { open, onListening } = selectChain(config, logger);
  const root = ServingAppModule.register({ openChain: open, server, shutdown });
  const app = await startGateway(root, { ...toGatewayOptions(config), GATEWAY_PORT: port }, nestOptions(logger));
  const url = await app.getUrl();
  try {
    const ended = app.get(BackgroundTasks).whenEnded();
    await Promise.race([onListening(url, shutdown), ended]);
    await Promise.race([ended, whenAborted(shutdown)]);
    return null;
  } catch (error) {
    if (!(error instanceof DatabaseRestartedError)) throw error;
    logger.warn({ reason: error.message }, 'starting again from the stored position');
    return Number(new URL(url).port);
  } finally {
    await app.close();
  }
}
