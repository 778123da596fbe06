import { InMemoryBus } from '@fresnel/adapters/bus';
import { type Chain } from '@fresnel/adapters/chain';
import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { MemoryRateLimiter, RATE_LIMITER } from '@fresnel/adapters/rate-limit';
import { Reader } from '@fresnel/adapters/store-read';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { InMemoryTreeStore, PostgresTreeJournal } from '@fresnel/adapters/tree-store';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { TransactionParser } from '@fresnel/domain/events';
import { poseidon } from '@fresnel/domain/trees';
import { GatewayModule, startGateway } from '@fresnel/features/gateway/nest';
import { createIngestMetrics, IngestService, Progress, TreeRegistry } from '@fresnel/features/ingest';
import { createProjectorMetrics, PROJECTOR_GROUP, ProjectorService } from '@fresnel/features/projector';
import { createProverMetrics, ProverService } from '@fresnel/features/prover';
import { createRegistry, LOGGER, type Logger, nestOptions, Registry } from '@fresnel/platform';
import { Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenDatabase } from './database';
import { type StandaloneConfig } from './standalone.config';
import { StoredResumePoint } from './stored.resume-point';

const TIP_INTERVAL_MS = 5_000;
const FORK_RETRY_DELAY_MS = 200;
const MAX_PROOF_WAIT_MS = 1_000;
const PROGRESS_INTERVAL_TERMINAL_MS = 200;
const PROGRESS_INTERVAL_LOG_MS = 10_000;

/** All four features in one process. */
export class Standalone {
  private readonly stopIngest = new AbortController();
  private readonly stopConsumers = new AbortController();

  private constructor(
    private readonly bus: InMemoryBus,
    private readonly ingest: IngestService,
    private readonly projector: ProjectorService,
    private readonly prover: ProverService,
    private readonly reader: Reader,
    /** Null where nobody asks. */
    readonly gateway: NestFastifyApplication | null,
  ) {}

  /** Puts the features together; `run` sets them going. @param serve whether to answer requests */
  static async assemble(
    config: StandaloneConfig,
    database: OpenDatabase,
    chain: Chain,
    logger: Logger,
    { serve }: { serve: boolean },
  ): Promise<Standalone> {
    const registry = createRegistry();
    const store = new ProjectionStore(database.dataSource);
    const treeStore = await openTrees(database, logger);
    const positions = new Map([
      [
        SLOT_EVENTS.name,
        await store.findPosition({ consumerGroup: PROJECTOR_GROUP, topic: SLOT_EVENTS.name, partition: 0 }),
      ],
      [TREE_UPDATES.name, await treeStore.findPosition(0)],
    ]);
    const bus = new InMemoryBus({ firstOffset: (topic) => positions.get(topic) ?? 0n });
    const proverOptions = { acceptTreeGaps: config.acceptTreeGaps, maxWaitMs: MAX_PROOF_WAIT_MS };
    const prover = new ProverService(bus, treeStore, poseidon, proverOptions, logger, createProverMetrics(registry));
    const { compressedToken } = config.programs;
    const projectorMetrics = createProjectorMetrics(registry);
    const projector = new ProjectorService(bus, store, poseidon, compressedToken, logger, projectorMetrics);
    const ingest = new IngestService(
      chain.source,
      bus,
      new StoredResumePoint(store, treeStore),
      new TreeRegistry(chain.trees, chain.treeSource),
      new TransactionParser(config.programs),
      createProgress(logger),
      {
        preloadedTrees: [config.defaultAddressTree],
        tipIntervalMs: TIP_INTERVAL_MS,
        forkRetryDelayMs: FORK_RETRY_DELAY_MS,
      },
      logger,
      createIngestMetrics(registry),
    );
    const reader = createReader(config, database);
    const gateway = serve ? await openGateway(config, reader, prover, logger, registry) : null;
    return new Standalone(bus, ingest, projector, prover, reader, gateway);
  }

  /** Indexes until `stop` is called or the source ends; what was read is written before this settles. */
  async run(): Promise<void> {
    const { signal } = this.stopConsumers;
    const consumers = Promise.all([this.projector.run(signal), this.prover.run(signal)]);
    consumers.catch(() => {
      this.stopIngest.abort();
      this.stopConsumers.abort();
    });
    try {
      await this.ingest.run(this.stopIngest.signal);
      await this.bus.waitUntilDrained(signal);
    } finally {
      this.stopConsumers.abort();
      await consumers;
    }
  }

  /** No more blocks are read; batches that have begun are finished. */
  async stop(): Promise<void> {
    this.stopIngest.abort();
    this.stopConsumers.abort();
    await this.gateway?.close();
    await this.reader.close();
  }
}

async function openTrees(database: OpenDatabase, logger: Logger): Promise<InMemoryTreeStore> {
  const startedAt = performance.now();
  const store = await InMemoryTreeStore.open(poseidon, new PostgresTreeJournal(database.dataSource));
  const trees = await store.listHeads();
  const addresses = trees.reduce((sum, { nextIndex }) => sum + nextIndex, 0);
  const milliseconds = Math.round(performance.now() - startedAt);
  logger.info({ trees: trees.length, addresses, milliseconds }, 'address trees loaded');
  return store;
}

function createProgress(logger: Logger): Progress {
  const terminal = process.stderr.isTTY ? process.stderr : null;
  const intervalMs = terminal ? PROGRESS_INTERVAL_TERMINAL_MS : PROGRESS_INTERVAL_LOG_MS;
  return new Progress({ terminal, intervalMs }, logger, () => performance.now());
}

function createReader({ gateway, readConnections }: StandaloneConfig, database: OpenDatabase): Reader {
  return new Reader({
    url: database.url,
    connections: readConnections,
    timeoutMs: gateway.requestTimeoutMs,
    applicationName: 'fresnel-gateway',
  });
}

@Module({})
class BackendsModule {}

async function openGateway(
  { gateway: options, rateLimit }: StandaloneConfig,
  reader: Reader,
  prover: ProverService,
  logger: Logger,
  registry: Registry,
): Promise<NestFastifyApplication> {
  const providers = [
    { provide: Reader, useValue: reader },
    { provide: PROVER_CLIENT, useValue: prover },
    { provide: RATE_LIMITER, useValue: rateLimit && new MemoryRateLimiter(rateLimit) },
    { provide: LOGGER, useValue: logger },
    { provide: Registry, useValue: registry },
  ];

  @Module({
    imports: [{ module: BackendsModule, global: true, providers, exports: providers }, GatewayModule.register(options)],
  })
  class RootModule {}

  return startGateway(RootModule, options, nestOptions(logger));
}
