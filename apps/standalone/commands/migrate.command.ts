import { parseArgs } from 'node:util';
import { createLogger, describeSettings } from '@fresnel/platform';
import { openDatabase } from '../database';
import { readStandaloneSettings, SETTINGS } from '../settings';
import { type Command } from './command';

export const migrateCommand: Command = {
  name: 'migrate',
  synopsis: '',
  summary: 'bring the database’s schema up to date and exit',
  help: `"start" does this by itself; on its own it is for a database that several processes share.

Settings (environment variables):
${describeSettings(pick(['DATABASE_URL', 'FRESNEL_DATA_DIR', 'LOG_LEVEL']))}`,
  async run(args) {
    parseArgs({ args, options: {} });
    const settings = readStandaloneSettings();
    const logger = createLogger(settings.logLevel);
    const database = await openDatabase(settings, settings.dataDir ?? '.fresnel/data', logger);
    const { migrations } = database;
    await database.close();
    console.log(migrations.length > 0 ? `ran ${migrations.join(', ')}` : 'the schema was up to date');
    return 0;
  },
};

function pick(names: (keyof typeof SETTINGS)[]) {
  return Object.fromEntries(names.map((name) => [name, SETTINGS[name]]));
}
