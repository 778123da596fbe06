import { InMemoryBus } from '@fresnel/adapters/bus';
import { InMemoryBusModule } from '@fresnel/adapters/bus/nest';
import { type Chain } from '@fresnel/adapters/chain';
import { ChainModule, NodeRpcModule } from '@fresnel/adapters/chain/nest';
import { WorkerPoolModule } from '@fresnel/adapters/worker-pool/nest';
import { MemoryRateLimitModule } from '@fresnel/adapters/rate-limit/nest';
import { StoreReadModule } from '@fresnel/adapters/store-read/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { HistoryStore, ProjectionStore } from '@fresnel/adapters/store-write';
import { StoreModule } from '@fresnel/adapters/store-write/nest';
import { JournaledTreeStoreModule } from '@fresnel/adapters/tree-store/nest';
import { HttpValidityProverModule } from '@fresnel/adapters/validity-prover/nest';
import { toChainConfig, toValidityProverOptions } from '@fresnel/config';
import { poseidon } from '@fresnel/domain/poseidon';
import { toGatewayOptions, toNodeOptions, toNodeSocketsOptions, toRateLimit } from '@fresnel/features/gateway';
import { GatewayModule } from '@fresnel/features/gateway/nest';
import { StoredResumePoint } from '@fresnel/features/ingest';
import { FollowModule, type HistoryRecheck, RepairModule } from '@fresnel/features/ingest/nest';
import { ProjectorModule } from '@fresnel/features/projector/nest';
import { ProverModule } from '@fresnel/features/prover/nest';
import { CONFIG } from '@fresnel/platform';
import { HealthServerModule, PlatformModule } from '@fresnel/platform/nest';
import { type DynamicModule, Module } from '@nestjs/common';
import { type DataSource } from 'typeorm';
import { APP_CONFIG, type AppConfig } from './app.config';
import { DatabaseModule, type DatabaseModuleOptions } from './database.module';
import { findFirstOffsets } from './first-offsets';
import { type StoredChain } from './select-chain';

/** Of the bus. Eight slots have few enough rows that the first of them can be read soon after a start. */
const FIRST_RECORDS = 16;
const MAX_PROOF_WAIT_MS = 1_000;
/** A request waits for the trees only if they are at most this many slots behind it. */
const MAX_PROOF_WAIT_SLOTS = 1_500;

export interface AppModuleOptions extends DatabaseModuleOptions {
  openChain: (stored: StoredChain) => Chain;
  /** Default: never. */
  historyRecheck?: HistoryRecheck;
  /** Called when the past is published, before blocks of the node are. An error ends the indexing. */
  onAnchor?: (index: { bus: InMemoryBus; dataSource: DataSource }) => Promise<void>;
}

const WORKERS = WorkerPoolModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({ threads: config.WORKER_THREADS }),
});
const NODE = NodeRpcModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({ node: toNodeOptions(config), sockets: toNodeSocketsOptions(config) }),
});
const VALIDITY_PROVER = HttpValidityProverModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({ prover: toValidityProverOptions(config, config.GATEWAY_REQUEST_TIMEOUT_MS) }),
});
const RATE_LIMIT = MemoryRateLimitModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({ limit: toRateLimit(config) }),
});

/** Indexes a chain: ingest, projector and prover in one process, with an in-memory bus. Exports the database and the prover. */
@Module({})
export class AppModule {
  static register({ openChain, historyRecheck = 'never', onAnchor, ...options }: AppModuleOptions): DynamicModule {
    const database = DatabaseModule.register(options);
    const store = { module: StoreModule, imports: [database, WORKERS] };
    const trees = JournaledTreeStoreModule.registerAsync({
      imports: [database],
      useFactory: () => ({ hasher: poseidon }),
    });
    const bus = InMemoryBusModule.registerAsync({
      imports: [store],
      inject: [ProjectionStore],
      useFactory: async (projection: ProjectionStore) => ({
        firstOffset: await findFirstOffsets(projection),
        firstCapacity: FIRST_RECORDS,
      }),
    });
    const chain = ChainModule.registerAsync({
      imports: [bus, database, store],
      inject: [ProjectionStore, Database, InMemoryBus],
      useFactory: (projection: ProjectionStore, { dataSource }: Database, memoryBus: InMemoryBus) =>
        openChain({
          storedTimes: (block, limit) => projection.findBlockTimes(block, limit),
          storedHistory: new HistoryStore(dataSource),
          onAnchor: onAnchor && (() => onAnchor({ bus: memoryBus, dataSource })),
        }),
    });
    const projector = ProjectorModule.registerAsync({
      imports: [bus, database, store, WORKERS],
      inject: [CONFIG],
      useFactory: (config: AppConfig) => config,
    });
    const prover = ProverModule.registerAsync({
      imports: [bus, trees, WORKERS],
      inject: [CONFIG],
      useFactory: (config: AppConfig) => ({
        ...config,
        PROVER_MAX_WAIT_MS: MAX_PROOF_WAIT_MS,
        PROVER_MAX_WAIT_SLOTS: MAX_PROOF_WAIT_SLOTS,
      }),
    });
    const follow = FollowModule.registerAsync({
      imports: [chain, bus, store, trees],
      resumePoint: StoredResumePoint,
      inject: [CONFIG],
      useFactory: (config: AppConfig) => ({
        ...config,
        INGEST_MAX_LAG: null,
        programs: toChainConfig(config).programs,
        preloadedTrees: [config.DEFAULT_ADDRESS_TREE],
        terminal: process.stderr.isTTY ? process.stderr : null,
      }),
    });
    const repair = RepairModule.registerAsync({
      imports: [follow, chain, bus, database, store],
      inject: [CONFIG],
      useFactory: (config: AppConfig) => ({ ...config, programs: toChainConfig(config).programs, historyRecheck }),
    });
    return {
      module: AppModule,
      imports: [PlatformModule.register(APP_CONFIG), database, projector, prover, follow, repair],
      exports: [database, prover],
    };
  }
}

/** `AppModule` and the gateway, which answers requests. */
@Module({})
export class ServingAppModule {
  static register(options: AppModuleOptions): DynamicModule {
    const index = AppModule.register(options);
    const tables = StoreReadModule.registerAsync({
      imports: [index],
      inject: [CONFIG, Database],
      useFactory: (config: AppConfig, { url }: Database) => ({
        url,
        connections: config.GATEWAY_READ_CONNECTIONS,
        timeoutMs: config.GATEWAY_REQUEST_TIMEOUT_MS,
        applicationName: 'fresnel-gateway',
      }),
    });
    const gateway = GatewayModule.registerAsync({
      imports: [index, tables, VALIDITY_PROVER, NODE, RATE_LIMIT],
      inject: [CONFIG],
      useFactory: toGatewayOptions,
    });
    return { module: ServingAppModule, imports: [index, HealthServerModule, gateway] };
  }
}
