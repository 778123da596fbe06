import 'reflect-metadata';
import { createTopics } from '@fresnel/adapters/bus';
import { connect, migrate } from '@fresnel/adapters/store-schema';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { readSettings, runService, SERVICE_SETTINGS } from '@fresnel/platform';
import {
  DATABASE_SETTINGS,
  KAFKA_SETTINGS,
  mandatory,
  required,
  toKafkaSettings,
  TOPIC_SETTINGS,
} from '@fresnel/settings';

const SETTINGS = {
  DATABASE_URL: mandatory(DATABASE_SETTINGS.DATABASE_URL),
  ...KAFKA_SETTINGS,
  ...TOPIC_SETTINGS,
  ...SERVICE_SETTINGS,
};
const HOUR_MS = 3_600_000;

void runService({
  name: 'fresnel-migrate',
  summary: 'brings schema and topics up to date and exits; run it before the services',
  settings: SETTINGS,
  configure: () => {
    const given = readSettings(SETTINGS);
    const kafka = toKafkaSettings(given, 'fresnel-migrate');
    const url = required('DATABASE_URL', given.DATABASE_URL);
    return {
      logLevel: given.LOG_LEVEL,
      run: async ({ logger }) => {
        // One holds the lock that keeps others away, one does the work.
        const dataSource = await connect({ url, poolSize: 2, applicationName: 'fresnel-migrate' });
        const migrations = await migrate(dataSource);
        await dataSource.destroy();
        logger.info({ migrations }, 'schema is up to date');
        const partitions = given.KAFKA_PARTITIONS;
        await createTopics(
          kafka,
          [
            { topic: SLOT_EVENTS, partitions, retentionMs: given.KAFKA_RETENTION_HOURS * HOUR_MS },
            { topic: TREE_UPDATES, partitions, retentionMs: null },
          ],
          { replicationFactor: given.KAFKA_REPLICATION_FACTOR, minInsyncReplicas: given.KAFKA_MIN_INSYNC_REPLICAS },
          logger,
        );
      },
    };
  },
});
