import { topicNameOf } from '@fresnel/adapters/bus';
import { KafkaBusModule } from '@fresnel/adapters/bus/nest';
import { HashPoolModule } from '@fresnel/adapters/hash-pool/nest';
import { RedisTreeStoreModule } from '@fresnel/adapters/tree-store/nest';
import { toKafkaConfig } from '@fresnel/config';
import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { poseidon } from '@fresnel/domain/poseidon';
import { ProverModule, ProverServerModule } from '@fresnel/features/prover/nest';
import { CONFIG } from '@fresnel/platform';
import { HealthServerModule, PlatformModule } from '@fresnel/platform/nest';
import { Module } from '@nestjs/common';
import { type AppConfig, APP_CONFIG } from './app.config';

const toKafka = (config: AppConfig) => toKafkaConfig(config, 'fresnel-prover');

/** Keeps the address trees of Kafka in Redis and serves proofs over gRPC. */
@Module({
  imports: [
    PlatformModule.register(APP_CONFIG),
    HealthServerModule,
    KafkaBusModule.registerAsync({ inject: [CONFIG], useFactory: toKafka }),
    RedisTreeStoreModule.registerAsync({
      inject: [CONFIG],
      useFactory: (config: AppConfig) => ({
        url: config.REDIS_URL,
        hasher: poseidon,
        keyspace: { prefix: config.REDIS_KEY_PREFIX, topicName: topicNameOf(toKafka(config), TREE_UPDATES) },
      }),
    }),
    HashPoolModule.registerAsync({
      inject: [CONFIG],
      useFactory: (config: AppConfig) => ({ threads: config.HASH_THREADS }),
    }),
    ProverModule.registerAsync({
      inject: [CONFIG],
      useFactory: (config: AppConfig) => ({
        acceptTreeGaps: config.ACCEPT_TREE_GAPS,
        maxWaitMs: config.PROVER_MAX_WAIT_MS,
        maxWaitSlots: config.PROVER_MAX_WAIT_SLOTS,
      }),
    }),
    ProverServerModule,
  ],
})
export class AppModule {}
