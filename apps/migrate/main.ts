import 'reflect-metadata';
import { createTopics } from '@fresnel/adapters/bus';
import { connect, migrate } from '@fresnel/adapters/store-schema';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { readConfig, runService, SERVICE_CONFIG } from '@fresnel/platform';
import { DATABASE_CONFIG, KAFKA_CONFIG, mandatory, required, toKafkaConfig, TOPIC_CONFIG } from '@fresnel/config';

const CONFIG = {
  DATABASE_URL: mandatory(DATABASE_CONFIG.DATABASE_URL),
  ...KAFKA_CONFIG,
  ...TOPIC_CONFIG,
  ...SERVICE_CONFIG,
};
const HOUR_MS = 3_600_000;

void runService({
  name: 'fresnel-migrate',
  summary: 'brings schema and topics up to date and exits; run it before the services',
  schema: CONFIG,
  configure: () => {
    const given = readConfig(CONFIG);
    const kafka = toKafkaConfig(given, 'fresnel-migrate');
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
