import 'reflect-metadata';
import { ConfigError, runApplication, startContext } from '@fresnel/platform';
import { APP_CONFIG, WAIT_CONFIG } from './app.config';

const MIGRATE_USAGE = `  (no arguments)    migrate and exit
  wait              wait until another process has migrated, and exit
  reset-positions   after a loss of records; "reset-positions --help" has the details`;

const RESET_USAGE = `  reset-positions

Deletes all records of the topics, which it creates if they are missing, and sets the positions of all consumers to the ends
of the topics. Ingest then continues after the last slot that tables and trees have. Use it when records are lost: after the
loss of Kafka, with an empty database, or with a database from a backup that is older than the topics' records.

Stop all services before. The command fails if one is running. The node must have all blocks after the last slot.`;

const name = 'fresnel-migrate';
const [command, ...rest] = process.argv.slice(2);

if (command === 'wait') {
  void runApplication({
    name,
    summary: 'waits until the database schema and the Kafka topics are up to date, and exits',
    schema: WAIT_CONFIG,
    start: async (_, options) => {
      rejectArgument(rest[0]);
      return startContext((await import('./wait.module.js')).WaitModule, options);
    },
  });
} else {
  const isReset = command === 'reset-positions';
  void runApplication({
    name,
    summary: isReset
      ? 'resets the positions of consumers after a loss of records and exits'
      : 'waits for Postgres and Kafka, migrates the schema, creates the topics and exits; run it before the services',
    usage: isReset ? RESET_USAGE : MIGRATE_USAGE,
    schema: APP_CONFIG,
    isJob: true,
    start: async (_, options) => {
      rejectArgument(isReset ? rest[0] : command);
      const { AppModule } = await import('./app.module.js');
      return startContext(AppModule.register(isReset ? 'reset-positions' : 'migrate'), options);
    },
  });
}

function rejectArgument(argument: string | undefined): void {
  if (argument !== undefined) throw new ConfigError(`unknown argument ${argument}`);
}
