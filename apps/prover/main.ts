import 'reflect-metadata';
import { KafkaBus } from '@fresnel/adapters/bus';
import { createTreeRedis, RedisTreeStore } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/trees';
import { createProverMetrics, ProverService, startProverServer } from '@fresnel/features/prover';
import {
  flag,
  HEALTH_SETTINGS,
  integer,
  readSettings,
  runService,
  SERVICE_SETTINGS,
  text,
  withHealth,
} from '@fresnel/platform';
import { KAFKA_SETTINGS, REDIS_SETTINGS, required, toKafkaSettings } from '@fresnel/settings';

const CLOSE_TIMEOUT_MS = 5_000;

const SETTINGS = {
  PROVER_HOST: text({ default: '127.0.0.1', desc: 'Where the prover listens; 0.0.0.0 for all interfaces' }),
  PROVER_PORT: integer(0, 65_535)({ default: 50_051, desc: 'Port of the prover; 0 takes a free one' }),
  PROVER_MAX_WAIT_MS: integer(
    0,
    60_000,
  )({
    default: 3_000,
    desc: 'How long a request may wait for a slot that the tables have and the trees have not yet',
  }),
  PROVER_MAX_CONNECTION_AGE_MS: integer(
    1_000,
    86_400_000,
  )({
    default: 60_000,
    desc: 'After so long a client connects anew, so that it hears of new provers',
  }),
  ACCEPT_TREE_GAPS: flag({
    default: false,
    desc: 'Serve proofs from trees of which a part was never seen; for recordings that begin inside a tree’s life',
  }),
  ...KAFKA_SETTINGS,
  ...REDIS_SETTINGS,
  ...HEALTH_SETTINGS,
  ...SERVICE_SETTINGS,
};

void runService({
  name: 'fresnel-prover',
  summary: 'keeps address trees and proves from them that addresses are new',
  settings: SETTINGS,
  configure: () => {
    const given = readSettings(SETTINGS);
    const kafka = toKafkaSettings(given, 'fresnel-prover');
    const url = required('REDIS_URL', given.REDIS_URL);
    return {
      logLevel: given.LOG_LEVEL,
      run: async (context) => {
        const { logger, registry, signal } = context;
        const redis = createTreeRedis({ url });
        redis.on('error', (error) => {
          logger.warn({ error }, 'Redis does not answer');
        });
        await redis.connect();
        const bus = new KafkaBus({ settings: kafka, log: logger });
        const prover = new ProverService(
          bus,
          new RedisTreeStore(redis, poseidon),
          poseidon,
          { acceptTreeGaps: given.ACCEPT_TREE_GAPS, maxWaitMs: given.PROVER_MAX_WAIT_MS },
          logger,
          createProverMetrics(registry),
        );
        const server = await startProverServer(
          {
            host: given.PROVER_HOST,
            port: given.PROVER_PORT,
            maxConnectionAgeMs: given.PROVER_MAX_CONNECTION_AGE_MS,
            closeTimeoutMs: CLOSE_TIMEOUT_MS,
          },
          { prover, logger, registry },
        );
        logger.info({ port: server.port }, 'answering calls');
        const findFaults = async () => {
          await redis.ping();
          return [];
        };
        await withHealth(given, context, findFaults, () => prover.run(signal));
        await server.close();
        await bus.close();
        redis.disconnect();
      },
    };
  },
});
