import { topicNameOf } from '@fresnel/adapters/bus';
import { KafkaBusModule } from '@fresnel/adapters/bus/nest';
import { WorkerPoolModule } from '@fresnel/adapters/worker-pool/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { DatabaseModule } from '@fresnel/adapters/store-schema/nest';
import { RedisTreeStoreModule } from '@fresnel/adapters/tree-store/nest';
import { toKafkaConfig } from '@fresnel/config';
import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { poseidon } from '@fresnel/domain/poseidon';
import { type ProverRole } from '@fresnel/features/prover';
import { ProofReaderModule, ProverServerModule, TreeWriterModule } from '@fresnel/features/prover/nest';
import { CONFIG, requireSet } from '@fresnel/platform';
import { HealthServerModule, PlatformModule } from '@fresnel/platform/nest';
import { type DynamicModule, Module } from '@nestjs/common';
import { type AppConfig, APP_CONFIG } from './app.config';

/** The modules of every role. */
const COMMON = (role: ProverRole) => [
  PlatformModule.register(APP_CONFIG),
  HealthServerModule,
  RedisTreeStoreModule.registerAsync({
    inject: [CONFIG],
    useFactory: (config: AppConfig) => ({
      url: config.REDIS_URL,
      timeoutMs: config.REDIS_TIMEOUT_MS,
      readUrl: role === 'writer' ? undefined : config.REDIS_READ_URL,
      hasher: poseidon,
      keyspace: {
        prefix: config.REDIS_KEY_PREFIX,
        topicName: topicNameOf({ prefix: config.KAFKA_PREFIX }, TREE_UPDATES),
      },
    }),
  }),
];

/** Applies the tree updates of Kafka, and journals the trees to Postgres. */
const WRITER = () => [
  DatabaseModule.registerAsync({
    inject: [CONFIG],
    useFactory: (config: AppConfig) => ({
      url: requireSet('DATABASE_URL', config.DATABASE_URL),
      poolSize: config.DATABASE_POOL_SIZE,
      applicationName: 'fresnel-prover',
      timeoutMs: config.DATABASE_WRITE_TIMEOUT_MS,
    }),
  }),
  KafkaBusModule.registerAsync({
    inject: [CONFIG, Database],
    useFactory: (config: AppConfig, database: Database) => ({
      ...toKafkaConfig(
        { ...config, KAFKA_BROKERS: requireSet('KAFKA_BROKERS', config.KAFKA_BROKERS) },
        'fresnel-prover',
      ),
      findGeneration: (topic: string) => database.findLogGeneration(topic),
    }),
  }),
  WorkerPoolModule.registerAsync({
    inject: [CONFIG],
    useFactory: (config: AppConfig) => ({ threads: config.WORKER_THREADS }),
  }),
  TreeWriterModule.registerAsync({ inject: [CONFIG], useFactory: (config: AppConfig) => config }),
];

/** Serves proofs over gRPC. */
const READER = () => [
  ProofReaderModule.registerAsync({ inject: [CONFIG], useFactory: (config: AppConfig) => config }),
  ProverServerModule,
];

/** Keeps the trees of Kafka in Redis, serves proofs from there, or does both. */
@Module({})
export class AppModule {
  static forRole(role: ProverRole): DynamicModule {
    const writer = role === 'reader' ? [] : WRITER();
    const reader = role === 'writer' ? [] : READER();
    return { module: AppModule, imports: [...COMMON(role), ...writer, ...reader] };
  }
}
