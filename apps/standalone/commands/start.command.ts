import { parseArgs } from 'node:util';
import { type Chain, openRpcChain } from '@fresnel/adapters/chain';
import { openDemoChain, showDemo } from '@fresnel/demo';
import { createLogger, describeConfig, listenForShutdown, type Logger } from '@fresnel/platform';
import { openDatabase } from '../database';
import { readStandaloneConfig, CONFIG, type StandaloneConfig } from '../standalone.config';
import { Standalone } from '../standalone';
import { type Command } from './command';

export const startCommand: Command = {
  name: 'start',
  synopsis: '',
  summary: 'index a chain and answer requests (the default)',
  help: `Indexes the chain of SOLANA_RPC_URL, or without it the demo ledger, and answers JSON-RPC on GATEWAY_PORT.
It goes on where it was. SIGTERM or Ctrl-C ends it.

Environment variables:
${describeConfig(CONFIG)}`,
  async run(args) {
    parseArgs({ args, options: {} });
    const config = readStandaloneConfig();
    const logger = createLogger(config.logLevel);
    const shutdown = listenForShutdown(logger);
    const { rpcUrl } = config;
    if (rpcUrl === undefined) return serve(config, openDemoChain(), '.fresnel/demo', logger, shutdown, greet);
    return serve(config, openRpcChain(config, rpcUrl, logger), '.fresnel/data', logger, shutdown);
  },
};

const greet = (url: string, signal: AbortSignal) => showDemo(url, 'npm start', signal);

/** @param onAnswering called when requests are answered */
async function serve(
  config: StandaloneConfig,
  chain: Chain,
  usualDataDir: string,
  logger: Logger,
  shutdown: AbortSignal,
  onAnswering?: (url: string, signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const database = await openDatabase(config, config.dataDir ?? usualDataDir, logger);
  try {
    const standalone = await Standalone.assemble(config, database, chain, logger, { serve: true });
    const url = await standalone.gateway?.getUrl();
    logger.info({ url }, 'answering requests');
    const running = standalone.run();
    try {
      const lost = database.whenGone.then(() => {
        if (!shutdown.aborted) throw new Error('the embedded postgres ended');
      });
      if (url) await Promise.race([onAnswering?.(url, shutdown), running, lost]);
      await Promise.race([running, lost, whenAborted(shutdown)]);
      await whenAborted(shutdown);
    } finally {
      await standalone.stop();
      await running;
    }
  } finally {
    await database.close();
  }
  logger.info('stopped');
  return 0;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
