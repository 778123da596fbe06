import 'reflect-metadata';
import { KafkaBus } from '@fresnel/adapters/bus';
import { openRpcChain } from '@fresnel/adapters/chain';
import { openDemoChain } from '@fresnel/demo';
import { TransactionParser } from '@fresnel/domain/events';
import { createIngestMetrics, IngestService, Progress, TreeRegistry } from '@fresnel/features/ingest';
import { HEALTH_CONFIG, readConfig, runService, SERVICE_CONFIG, withHealth } from '@fresnel/platform';
import {
  CHAIN_CONFIG,
  DEMO_CONFIG,
  KAFKA_CONFIG,
  mandatory,
  required,
  toChainConfig,
  toKafkaConfig,
} from '@fresnel/config';
import { KafkaResumePoint } from './kafka.resume-point';

const TIP_INTERVAL_MS = 5_000;
const FORK_RETRY_DELAY_MS = 200;
const PROGRESS_INTERVAL_MS = 10_000;
/** A tip that was seen longer ago says nothing about the chain. */
const TIP_STALE_MS = 60_000;

const CONFIG = {
  ...CHAIN_CONFIG,
  SOLANA_RPC_URL: mandatory(CHAIN_CONFIG.SOLANA_RPC_URL),
  ...DEMO_CONFIG,
  ...KAFKA_CONFIG,
  ...HEALTH_CONFIG,
  ...SERVICE_CONFIG,
};

void runService({
  name: 'fresnel-ingest',
  summary: 'reads the chain and publishes a message for each slot and each address tree that it touches',
  schema: CONFIG,
  configure: () => {
    const given = readConfig(CONFIG);
    const chainConfig = toChainConfig(given);
    const rpcUrl = given.INGEST_DEMO ? null : required('SOLANA_RPC_URL', chainConfig.rpcUrl);
    const kafka = toKafkaConfig(given, 'fresnel-ingest');
    return {
      logLevel: given.LOG_LEVEL,
      run: async (context) => {
        const { logger, registry, signal } = context;
        const chain = rpcUrl === null ? openDemoChain() : openRpcChain(chainConfig, rpcUrl, logger);
        const { source, treeSource, trees } = chain;
        const bus = new KafkaBus({ config: kafka, log: logger });
        const ingest = new IngestService(
          source,
          bus,
          new KafkaResumePoint(kafka, logger),
          new TreeRegistry(trees, treeSource),
          new TransactionParser(chainConfig.programs),
          new Progress({ terminal: null, intervalMs: PROGRESS_INTERVAL_MS }, logger, () => performance.now()),
          {
            preloadedTrees: [chainConfig.defaultAddressTree],
            tipIntervalMs: TIP_INTERVAL_MS,
            forkRetryDelayMs: FORK_RETRY_DELAY_MS,
          },
          logger,
          createIngestMetrics(registry),
        );
        const findFaults = () => {
          const seenAt = source.tip?.seenAt.getTime() ?? 0;
          return Promise.resolve(Date.now() - seenAt > TIP_STALE_MS ? ["The chain's tip was not seen lately"] : []);
        };
        await withHealth(given, context, findFaults, () => ingest.run(signal));
        await bus.close();
      },
    };
  },
});
