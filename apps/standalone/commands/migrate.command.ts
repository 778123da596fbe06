import { parseArgs } from 'node:util';
import { createLogger, describeConfig } from '@fresnel/platform';
import { openDatabase } from '../database';
import { readStandaloneConfig, CONFIG } from '../standalone.config';
import { type Command } from './command';

export const migrateCommand: Command = {
  name: 'migrate',
  synopsis: '',
  summary: 'bring the database’s schema up to date and exit',
  help: `"start" does this by itself; on its own it is for a database that several processes share.

Environment variables:
${describeConfig(pick(['DATABASE_URL', 'FRESNEL_DATA_DIR', 'LOG_LEVEL']))}`,
  async run(args) {
    parseArgs({ args, options: {} });
    const config = readStandaloneConfig();
    const logger = createLogger(config.logLevel);
    const database = await openDatabase(config, config.dataDir ?? '.fresnel/data', logger);
    const { migrations } = database;
    await database.close();
    console.log(migrations.length > 0 ? `ran ${migrations.join(', ')}` : 'the schema was up to date');
    return 0;
  },
};

function pick(names: (keyof typeof CONFIG)[]) {
  return Object.fromEntries(names.map((name) => [name, CONFIG[name]]));
}
