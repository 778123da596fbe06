import { joinGenerations } from '@fresnel/adapters/bus';
import { KafkaBusModule } from '@fresnel/adapters/bus/nest';
import { openRpcChain, type StoredTimes } from '@fresnel/adapters/chain';
import { ChainModule } from '@fresnel/adapters/chain/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { DatabaseModule } from '@fresnel/adapters/store-schema/nest';
import { HistoryStore, ProjectionStore } from '@fresnel/adapters/store-write';
import { StoreModule } from '@fresnel/adapters/store-write/nest';
import { toChainConfig, toKafkaConfig } from '@fresnel/config';
import { openDemoChain } from '@fresnel/demo';
import { KafkaResumePoint } from '@fresnel/features/ingest';
import { FollowModule, RepairModule } from '@fresnel/features/ingest/nest';
import { CONFIG, LOGGER, type Logger } from '@fresnel/platform';
import { HealthServerModule, PlatformModule } from '@fresnel/platform/nest';
import { Module } from '@nestjs/common';
import { type AppConfig, APP_CONFIG } from './app.config';

/** Ingest reads a few rows at its start and at intervals. */
const DATABASE_CONNECTIONS = 2;

const DATABASE = DatabaseModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({
    url: config.DATABASE_URL,
    poolSize: DATABASE_CONNECTIONS,
    applicationName: 'fresnel-ingest',
    timeoutMs: config.DATABASE_WRITE_TIMEOUT_MS,
  }),
});
const STORE = { module: StoreModule, imports: [DATABASE] };
const BUS = KafkaBusModule.registerAsync({
  imports: [DATABASE],
  inject: [CONFIG, Database],
  useFactory: (config: AppConfig, database: Database) => ({
    ...toKafkaConfig(config, 'fresnel-ingest'),
    findGeneration: joinGenerations(() => database.findLogGenerations()),
  }),
});
const CHAIN = ChainModule.registerAsync({
  imports: [DATABASE, STORE],
  inject: [CONFIG, LOGGER, ProjectionStore, Database],
  useFactory: (config: AppConfig, logger: Logger, store: ProjectionStore, { dataSource }: Database) => {
    const { rpcUrls, ...options } = toChainConfig(config);
    if (rpcUrls === undefined || config.INGEST_DEMO) return openDemoChain();
    const storedTimes: StoredTimes = (block, limit) => store.findBlockTimes(block, limit);
    const storedHistory = new HistoryStore(dataSource);
    return openRpcChain({ ...options, storedTimes, storedHistory }, rpcUrls, logger);
  },
});
const FOLLOW = FollowModule.registerAsync({
  imports: [CHAIN, BUS, DATABASE, STORE],
  resumePoint: KafkaResumePoint,
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({
    ...config,
    programs: toChainConfig(config).programs,
    preloadedTrees: [config.DEFAULT_ADDRESS_TREE],
    terminal: null,
  }),
});

/** Publishes the blocks of a chain to Kafka, and repairs what consumers lack. */
@Module({
  imports: [
    PlatformModule.register(APP_CONFIG),
    HealthServerModule,
    RepairModule.registerAsync({
      imports: [FOLLOW, CHAIN, BUS, DATABASE, STORE],
      inject: [CONFIG],
      useFactory: (config: AppConfig) => ({
        ...config,
        programs: toChainConfig(config).programs,
        historyRecheck: 'if-incomplete',
      }),
    }),
  ],
})
export class AppModule {}
