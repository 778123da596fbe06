import 'reflect-metadata';
import { KafkaBus } from '@fresnel/adapters/bus';
import { createDataSource } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { poseidon } from '@fresnel/domain/trees';
import { createProjectorMetrics, ProjectorService } from '@fresnel/features/projector';
import { HEALTH_SETTINGS, readSettings, runService, SERVICE_SETTINGS, withHealth } from '@fresnel/platform';
import {
  DATABASE_SETTINGS,
  KAFKA_SETTINGS,
  mandatory,
  required,
  toKafkaSettings,
  TOKEN_PROGRAM_SETTINGS,
} from '@fresnel/settings';

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
    return {
      logLevel: given.LOG_LEVEL,
      run: async (context) => {
        const { logger, registry, signal } = context;
        const poolSize = given.DATABASE_POOL_SIZE;
        const dataSource = createDataSource({ url, poolSize, applicationName: 'fresnel-projector' });
        await dataSource.initialize();
        const bus = new KafkaBus({ settings: kafka, log: logger });
        const projector = new ProjectorService(
          bus,
          new ProjectionStore(dataSource),
          poseidon,
          given.COMPRESSED_TOKEN_PROGRAM_ID,
          logger,
          createProjectorMetrics(registry),
        );
        const findFaults = async () => {
          await dataSource.query('SELECT 1');
          return [];
        };
        await withHealth(given, context, findFaults, () => projector.run(signal));
        await bus.close();
        await dataSource.destroy();
      },
    };
  },
});
