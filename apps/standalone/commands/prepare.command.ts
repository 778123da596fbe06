import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '@fresnel/adapters/embedded-postgres';
import { CLUSTER_TEMPLATE } from '../database-server';
import { type Command } from './command';

export const prepareCommand: Command = {
  name: 'prepare',
  synopsis: '',
  summary: 'prepare a database that first starts copy; the build runs this',
  help: `A new data directory gets a copy of an empty, migrated database, which is faster than to create one. Without it, or if
another user has prepared it, a start creates the database.`,
  async run(args) {
    parseArgs({ args, options: {} });
    const { migrateDatabase } = await import('@fresnel/adapters/store-schema');
    await EmbeddedPostgres.makeTemplate(CLUSTER_TEMPLATE, async (url) => {
      await migrateDatabase(url);
    });
    await EmbeddedPostgres.makeCopy(CLUSTER_TEMPLATE);
    return 0;
  },
};
