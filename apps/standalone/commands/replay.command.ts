import { parseArgs } from 'node:util';
import { configuredTrees, LedgerBlockSource } from '@fresnel/adapters/chain';
import { createLogger, describeConfig, listenForShutdown } from '@fresnel/platform';
import { openDatabase } from '../database';
import { readStandaloneConfig, CONFIG } from '../standalone.config';
import { Standalone } from '../standalone';
import { type Command, UsageError } from './command';

export const replayCommand: Command = {
  name: 'replay',
  synopsis: 'LEDGER',
  summary: 'index a recorded ledger as fast as it goes and exit',
  help: `LEDGER holds a getBlock result with its slot on each line (ndjson, or gzipped with the ending .gz), as "generate" writes.
Its trees come from TREES_FILE. What is indexed already is passed over.

Environment variables:
${describeConfig(CONFIG)}`,
  async run(args) {
    const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
    if (positionals.length !== 1) throw new UsageError('replay takes one LEDGER');
    const config = readStandaloneConfig();
    const logger = createLogger(config.logLevel);
    const shutdown = listenForShutdown(logger);
    const source = new LedgerBlockSource({ path: positionals[0] });
    const { blocks, lastSlot } = await source.summarize();
    const database = await openDatabase(config, config.dataDir ?? '.fresnel/data', logger);
    try {
      const chain = { source, treeSource: null, trees: configuredTrees(config) };
      const standalone = await Standalone.assemble(config, database, chain, logger, { serve: false });
      const startedAt = performance.now();
      const stop = () => void standalone.stop();
      shutdown.addEventListener('abort', stop);
      await standalone.run();
      shutdown.removeEventListener('abort', stop);
      await standalone.stop();
      const seconds = (performance.now() - startedAt) / 1000;
      console.log(
        shutdown.aborted
          ? 'interrupted; the same command goes on from here'
          : `${blocks} blocks up to slot ${lastSlot} indexed in ${seconds.toFixed(1)} s`,
      );
    } finally {
      await database.close();
    }
    return 0;
  },
};
