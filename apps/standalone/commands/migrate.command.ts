import { parseArgs } from 'node:util';
import { createLogger, describeConfig, loadConfig } from '@fresnel/platform';
import { APP_CONFIG, DATA_DIR } from '../app.config';
import { startDatabaseServer } from '../database-server';
import { type Command } from './command';

export const migrateCommand: Command = {
  name: 'migrate',
  synopsis: '',
  summary: 'migrate the schema of the database and exit',
  help: `"start" and "replay" run the migrations too. Use this command to run them separately.

Environment variables:
${describeConfig(APP_CONFIG, ['DATABASE_URL', 'FRESNEL_DATA_DIR', 'LOG_LEVEL'])}`,
  async run(args) {
    parseArgs({ args, options: {} });
    const config = loadConfig(APP_CONFIG);
    const logger = createLogger(config.LOG_LEVEL);
    const server = startDatabaseServer(config, logger, config.FRESNEL_DATA_DIR ?? DATA_DIR);
    const { openDatabase } = await import('../database.js');
    const database = await openDatabase(server, config, logger);
    const { migrations } = database;
    await database.close();
    console.log(migrations.length > 0 ? `applied ${migrations.join(', ')}` : 'the schema is up to date');
    return 0;
  },
};
