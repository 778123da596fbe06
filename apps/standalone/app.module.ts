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
import { APP_CONFIG, type AppConfig } from './app.config';
import { DatabaseModule, type DatabaseModuleOptions } from './database.module';
import { findFirstOffsets } from './first-offsets';
import { type StoredChain } from './select-chain';

/** Of the bus. Eight slots have few enough rows that the first of them can be read soon after a start. */
const FIRST_RECORDS = 16;
const MAX_PROOF_WAIT_MS = 1_000;
/** A request waits for the trees only if they are at most this many slots behind it. */
const MAX_PROOF_WAIT_SLOTS = 1_500;

const FOLLOW = FollowModule.registerAsync({
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

export interface AppModuleOptions extends DatabaseModuleOptions {
  openChain: (stored: StoredChain) => Chain;
  /** Default: never. */
  historyRecheck?: HistoryRecheck;
}

/** Indexes a chain: ingest, projector and prover in one process, with an in-memory bus. */
@Module({})
export class AppModule {
  static register({ openChain, historyRecheck = 'never', ...database }: AppModuleOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.register(APP_CONFIG),
        DatabaseModule.register(database),
        StoreModule,
        JournaledTreeStoreModule.register({ hasher: poseidon }),
        InMemoryBusModule.registerAsync({
          inject: [ProjectionStore],
          useFactory: async (store: ProjectionStore) => ({
            firstOffset: await findFirstOffsets(store),
            firstCapacity: FIRST_RECORDS,
          }),
        }),
        ChainModule.registerAsync({
          inject: [ProjectionStore, Database],
          useFactory: (store: ProjectionStore, { dataSource }: Database) =>
            openChain({
              storedTimes: (block, limit) => store.findBlockTimes(block, limit),
              storedHistory: new HistoryStore(dataSource),
            }),
        }),
        WorkerPoolModule.registerAsync({
          inject: [CONFIG],
          useFactory: (config: AppConfig) => ({ threads: config.WORKER_THREADS }),
        }),
        ProjectorModule.registerAsync({ inject: [CONFIG], useFactory: (config: AppConfig) => config }),
        ProverModule.registerAsync({
          inject: [CONFIG],
          useFactory: (config: AppConfig) => ({
            ...config,
            PROVER_MAX_WAIT_MS: MAX_PROOF_WAIT_MS,
            PROVER_MAX_WAIT_SLOTS: MAX_PROOF_WAIT_SLOTS,
          }),
        }),
        FOLLOW,
        RepairModule.registerAsync({
          imports: [FOLLOW],
          inject: [CONFIG],
          useFactory: (config: AppConfig) => ({
            ...config,
            programs: toChainConfig(config).programs,
            historyRecheck,
          }),
        }),
      ],
    };
  }
}

/** `AppModule` and the gateway, which answers requests. */
@Module({})
export class ServingAppModule {
  static register(options: AppModuleOptions): DynamicModule {
    return {
      module: ServingAppModule,
      imports: [
        AppModule.register(options),
        HealthServerModule,
        StoreReadModule.registerAsync({
          inject: [CONFIG, Database],
          useFactory: (config: AppConfig, { url }: Database) => ({
            url,
            connections: config.GATEWAY_READ_CONNECTIONS,
            timeoutMs: config.GATEWAY_REQUEST_TIMEOUT_MS,
            applicationName: 'fresnel-gateway',
          }),
        }),
        HttpValidityProverModule.registerAsync({
          inject: [CONFIG],
          useFactory: (config: AppConfig) => ({
            prover: toValidityProverOptions(config, config.GATEWAY_REQUEST_TIMEOUT_MS),
          }),
        }),
        NodeRpcModule.registerAsync({
          inject: [CONFIG],
          useFactory: (config: AppConfig) => ({ node: toNodeOptions(config), sockets: toNodeSocketsOptions(config) }),
        }),
        MemoryRateLimitModule.registerAsync({
          inject: [CONFIG],
          useFactory: (config: AppConfig) => ({ limit: toRateLimit(config) }),
        }),
        GatewayModule.registerAsync({ inject: [CONFIG], useFactory: toGatewayOptions }),
      ],
    };
  }
}
