import { KafkaBusModule } from '@fresnel/adapters/bus/nest';
import { openRpcChain, type StoredTimes } from '@fresnel/adapters/chain';
import { ChainModule } from '@fresnel/adapters/chain/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { DatabaseModule } from '@fresnel/adapters/store-schema/nest';
import { HistoryStore, ProjectionStore } from '@fresnel/adapters/store-write';
import { StoreModule } from '@fresnel/adapters/store-write/nest';
import { toChainConfig, toKafkaConfig } from '@fresnel/config';
import { openDemoChain } from '@fresnel/demo';
import { type SlotRange } from '@fresnel/features/ingest';
import { RangeModule } from '@fresnel/features/ingest/nest';
import { CONFIG, LOGGER, type Logger } from '@fresnel/platform';
import { PlatformModule } from '@fresnel/platform/nest';
import { type DynamicModule, Module } from '@nestjs/common';
import { PUBLISH_CONFIG, type PublishConfig } from './app.config';

const DATABASE = DatabaseModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: PublishConfig) => ({
    url: config.DATABASE_URL,
    poolSize: 1,
    applicationName: 'fresnel-ingest-publish',
    timeoutMs: config.DATABASE_WRITE_TIMEOUT_MS,
  }),
});
const STORE = { module: StoreModule, imports: [DATABASE] };
const BUS = KafkaBusModule.registerAsync({
  imports: [DATABASE],
  inject: [CONFIG, Database],
  useFactory: (config: PublishConfig, database: Database) => ({
    ...toKafkaConfig(config, 'fresnel-ingest-publish'),
    findGeneration: (topic: string) => database.findLogGeneration(topic),
  }),
});
const CHAIN = ChainModule.registerAsync({
  imports: [DATABASE, STORE],
  inject: [CONFIG, LOGGER, ProjectionStore, Database],
  useFactory: (config: PublishConfig, logger: Logger, store: ProjectionStore, { dataSource }: Database) => {
    const { rpcUrls, ...options } = toChainConfig(config);
    if (rpcUrls === undefined || config.INGEST_DEMO) return openDemoChain();
    const storedTimes: StoredTimes = (block, limit) => store.findBlockTimes(block, limit);
    const stored = { storedTimes, storedHistory: new HistoryStore(dataSource) };
    return openRpcChain({ ...options, ...stored, yellowstone: null }, rpcUrls, logger);
  },
});

/** Publishes a range of slots to Kafka. */
@Module({})
export class PublishModule {
  static register(range: SlotRange): DynamicModule {
    return {
      module: PublishModule,
      imports: [
        PlatformModule.register(PUBLISH_CONFIG),
        RangeModule.registerAsync({
          imports: [CHAIN, BUS, DATABASE, STORE],
          inject: [CONFIG],
          useFactory: (config: PublishConfig) => ({ ...config, range, programs: toChainConfig(config).programs }),
        }),
      ],
    };
  }
}
