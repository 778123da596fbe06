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

const DATABASE = DatabaseModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({
    url: requireSet('DATABASE_URL', config.DATABASE_URL),
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'fresnel-prover',
    timeoutMs: config.DATABASE_WRITE_TIMEOUT_MS,
  }),
});
const BUS = KafkaBusModule.registerAsync({
  imports: [DATABASE],
  inject: [CONFIG, Database],
  useFactory: (config: AppConfig, database: Database) => ({
    ...toKafkaConfig({ ...config, KAFKA_BROKERS: requireSet('KAFKA_BROKERS', config.KAFKA_BROKERS) }, 'fresnel-prover'),
    findGeneration: (topic: string) => database.findLogGeneration(topic),
  }),
});
const WORKERS = WorkerPoolModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({ threads: config.WORKER_THREADS }),
});

/** The journal of the trees is in the database, which only a writer has. */
const treesOf = (role: ProverRole) =>
  RedisTreeStoreModule.registerAsync({
    imports: role === 'reader' ? [] : [DATABASE],
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
  });

/** Applies the tree updates of Kafka, and journals the trees to Postgres. */
const writerOf = (trees: DynamicModule) =>
  TreeWriterModule.registerAsync({
    imports: [BUS, trees, WORKERS],
    inject: [CONFIG],
    useFactory: (config: AppConfig) => config,
  });

/** Serves proofs over gRPC. */
const serverOf = (trees: DynamicModule) => {
  const reader = ProofReaderModule.registerAsync({
    imports: [trees],
    inject: [CONFIG],
    useFactory: (config: AppConfig) => config,
  });
  return { module: ProverServerModule, imports: [reader] };
};

/** Keeps the trees of Kafka in Redis, serves proofs from there, or does both. */
@Module({})
export class AppModule {
  static forRole(role: ProverRole): DynamicModule {
    const trees = treesOf(role);
    const writer = role === 'reader' ? [] : [writerOf(trees)];
    const server = role === 'writer' ? [] : [serverOf(trees)];
    return {
      module: AppModule,
      imports: [PlatformModule.register(APP_CONFIG), HealthServerModule, ...writer, ...server],
    };
  }
}
