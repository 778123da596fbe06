import 'reflect-metadata';
import { KafkaBus } from '@fresnel/adapters/bus';
import { checkSchema, connect } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { poseidon } from '@fresnel/domain/trees';
import { createProjectorMetrics, ProjectorService } from '@fresnel/features/projector';
import { HEALTH_CONFIG, readConfig, runService, SERVICE_CONFIG, untilAvailable, withHealth } from '@fresnel/platform';
import {
  DATABASE_CONFIG,
  KAFKA_CONFIG,
  mandatory,
  required,
  toKafkaConfig,
  TOKEN_PROGRAM_CONFIG,
} from '@fresnel/config';
import { type DataSource } from 'typeorm';

const CONFIG = {
  ...KAFKA_CONFIG,
  ...DATABASE_CONFIG,
  DATABASE_URL: mandatory(DATABASE_CONFIG.DATABASE_URL),
  ...TOKEN_PROGRAM_CONFIG,
  ...HEALTH_CONFIG,
  ...SERVICE_CONFIG,
};

void runService({
  name: 'fresnel-projector',
  summary: 'writes what slots say into the tables',
  schema: CONFIG,
  configure: () => {
    const given = readConfig(CONFIG);
    const kafka = toKafkaConfig(given, 'fresnel-projector');
    const url = required('DATABASE_URL', given.DATABASE_URL);
    const compressedToken = given.COMPRESSED_TOKEN_PROGRAM_ID;
    return {
      logLevel: given.LOG_LEVEL,
      run: async (context) => {
        const { logger, registry, signal } = context;
        const poolSize = given.DATABASE_POOL_SIZE;
        const metrics = createProjectorMetrics(registry);
        let dataSource: DataSource | null = null;
        const findFaults = async () => {
          if (!dataSource) return ['The database did not answer yet'];
          await dataSource.query('SELECT 1');
          return [];
        };
        await withHealth(given, context, findFaults, async () => {
          const options = { url, poolSize, applicationName: 'fresnel-projector' };
          dataSource = await untilAvailable(() => connect(options), context);
          if (!dataSource) return;
          await checkSchema(dataSource);
          const bus = new KafkaBus({ config: kafka, log: logger });
          const store = new ProjectionStore(dataSource);
          const projector = new ProjectorService(bus, store, poseidon, compressedToken, logger, metrics);
          await projector.run(signal);
          await bus.close();
          await dataSource.destroy();
        });
      },
    };
  },
});
