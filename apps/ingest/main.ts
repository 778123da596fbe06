import 'reflect-metadata';
import { KafkaBus } from '@fresnel/adapters/bus';
import { openRpcChain } from '@fresnel/adapters/chain';
import { openDemoChain } from '@fresnel/demo';
import { TransactionParser } from '@fresnel/domain/events';
import { createIngestMetrics, IngestService, Progress, TreeRegistry } from '@fresnel/features/ingest';
import { HEALTH_SETTINGS, readSettings, runService, SERVICE_SETTINGS, withHealth } from '@fresnel/platform';
import {
  CHAIN_SETTINGS,
  DEMO_SETTINGS,
  KAFKA_SETTINGS,
  mandatory,
  required,
  toChainSettings,
  toKafkaSettings,
} from '@fresnel/settings';
import { KafkaResumePoint } from './kafka.resume-point';

const TIP_INTERVAL_MS = 5_000;
const DOUBT_PAUSE_MS = 200;
const PROGRESS_INTERVAL_MS = 10_000;
/** A tip that was seen longer ago says nothing about the chain. */
const TIP_STALE_MS = 60_000;

const SETTINGS = {
  ...CHAIN_SETTINGS,
  SOLANA_RPC_URL: mandatory(CHAIN_SETTINGS.SOLANA_RPC_URL),
  ...DEMO_SETTINGS,
  ...KAFKA_SETTINGS,
  ...HEALTH_SETTINGS,
  ...SERVICE_SETTINGS,
};

void runService({
  name: 'fresnel-ingest',
  summary: 'reads the chain and publishes a message for each slot and each address tree that it touches',
  settings: SETTINGS,
  configure: () => {
    const given = readSettings(SETTINGS);
    const chainSettings = toChainSettings(given);
    const rpcUrl = given.INGEST_DEMO ? null : required('SOLANA_RPC_URL', chainSettings.rpcUrl);
    const kafka = toKafkaSettings(given, 'fresnel-ingest');
    return {
      logLevel: given.LOG_LEVEL,
      run: async (context) => {
        const { logger, registry, signal } = context;
        const chain = rpcUrl === null ? openDemoChain() : openRpcChain(chainSettings, rpcUrl, logger);
        const { source, treeSource, trees } = chain;
        const bus = new KafkaBus({ settings: kafka, log: logger });
        const ingest = new IngestService(
          source,
          bus,
          new KafkaResumePoint(kafka, logger),
          new TreeRegistry(trees, treeSource),
          new TransactionParser(chainSettings.programs),
          new Progress({ terminal: null, intervalMs: PROGRESS_INTERVAL_MS }, logger, () => performance.now()),
          {
            wantedTrees: [chainSettings.defaultAddressTree],
            tipIntervalMs: TIP_INTERVAL_MS,
            doubtPauseMs: DOUBT_PAUSE_MS,
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
