import 'reflect-metadata';
import { KafkaBus } from '@fresnel/adapters/bus';
import { checkSchema, connect } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { poseidon } from '@fresnel/domain/trees';
import { createProjectorMetrics, ProjectorService } from '@fresnel/features/projector';
import {
  HEALTH_SETTINGS,
  readSettings,
  runService,
  SERVICE_SETTINGS,
  untilAvailable,
  withHealth,
} from '@fresnel/platform';
import {
  DATABASE_SETTINGS,
  KAFKA_SETTINGS,
  mandatory,
  required,
  toKafkaSettings,
  TOKEN_PROGRAM_SETTINGS,
} from '@fresnel/settings';
import { type DataSource } from 'typeorm';

const SETTINGS = {
  ...KAFKA_SETTINGS,
  ...DATABASE_SETTINGS,
  DATABASE_URL: mandatory(DATABASE_SETTINGS.DATABASE_URL),
  ...TOKEN_PROGRAM_SETTINGS,
  ...HEALTH_SETTINGS,
  ...SERVICE_SETTINGS,
};

void runService({
  name: 'fresnel-projector',
  summary: 'writes what slots say into the tables',
  settings: SETTINGS,
  configure: () => {
    const given = readSettings(SETTINGS);
    const kafka = toKafkaSettings(given, 'fresnel-projector');
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
          const bus = new KafkaBus({ settings: kafka, log: logger });
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
