import 'reflect-metadata';
import { KafkaBus, topicNameOf } from '@fresnel/adapters/bus';
import { createTreeRedis, RedisTreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { poseidon } from '@fresnel/domain/trees';
import { createProverMetrics, PROVER_CONFIG, ProverService, startProverServer } from '@fresnel/features/prover';
import { HEALTH_CONFIG, readConfig, runService, SERVICE_CONFIG, withHealth } from '@fresnel/platform';
import { KAFKA_CONFIG, REDIS_CONFIG, required, toKafkaConfig } from '@fresnel/config';

const CLOSE_TIMEOUT_MS = 5_000;

const CONFIG = {
  ...PROVER_CONFIG,
  ...KAFKA_CONFIG,
  ...REDIS_CONFIG,
  ...HEALTH_CONFIG,
  ...SERVICE_CONFIG,
};

void runService({
  name: 'fresnel-prover',
  summary: 'keeps address trees and proves from them that addresses are new',
  schema: CONFIG,
  configure: () => {
    const given = readConfig(CONFIG);
    const kafka = toKafkaConfig(given, 'fresnel-prover');
    const url = required('REDIS_URL', given.REDIS_URL);
    return {
      logLevel: given.LOG_LEVEL,
      run: async (context) => {
        const { logger, registry, signal } = context;
        const redis = createTreeRedis({ url });
        redis.on('error', ({ message: reason }) => {
          logger.warn({ reason }, 'Redis does not answer');
        });
        const store = new RedisTreeStore(redis, poseidon, {
          prefix: given.REDIS_KEY_PREFIX,
          topicName: topicNameOf(kafka, TREE_UPDATES),
        });
        // One that is away is no reason to end: proofs are refused until it comes.
        await redis.connect().catch(() => undefined);
        const bus = new KafkaBus({ config: kafka, log: logger });
        const prover = new ProverService(
          bus,
          store,
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
          await store.findSlot();
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
