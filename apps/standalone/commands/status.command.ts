import { parseArgs } from 'node:util';
import { createLogger, describeConfig, loadConfig } from '@fresnel/platform';
import { wallClock } from '@fresnel/platform/time';
import { OPERATOR_CONFIG } from '../operator.config';
import { type Command } from './command';

export const statusCommand: Command = {
  name: 'status',
  synopsis: '[--json]',
  summary: 'show how far an index is, its trees and its dead letters',
  help: `Shows the indexed slot and its lag behind the chain, the position of each consumer and its lag behind Kafka, each tree
with the reason why it is not served, refused blocks, and the number of dead letters. It only reads, also while the index is in use.

  --json    write JSON

Environment variables:
${describeConfig(OPERATOR_CONFIG)}`,
  async run(args) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
    const config = loadConfig(OPERATOR_CONFIG);
    const logger = createLogger(config.LOG_LEVEL);
    const { describeStatus } = await import('@fresnel/features/operations');
    const { openOperatorDatabase } = await import('../operator-database.js');
    const { readStatusFrom } = await import('../status-sources.js');
    const database = await openOperatorDatabase(config, logger);
    try {
      const status = await readStatusFrom(database, config, logger);
      process.stdout.write(values.json ? `${JSON.stringify(status, null, 2)}\n` : describeStatus(status, wallClock()));
    } finally {
      await database.close();
    }
    return 0;
  },
};
