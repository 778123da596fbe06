import { KafkaBusModule } from '@fresnel/adapters/bus/nest';
import { WorkerPoolModule } from '@fresnel/adapters/worker-pool/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { DatabaseModule } from '@fresnel/adapters/store-schema/nest';
import { StoreModule } from '@fresnel/adapters/store-write/nest';
import { toKafkaConfig } from '@fresnel/config';
import { ProjectorModule } from '@fresnel/features/projector/nest';
import { CONFIG } from '@fresnel/platform';
import { HealthServerModule, PlatformModule } from '@fresnel/platform/nest';
import { Module } from '@nestjs/common';
import { type AppConfig, APP_CONFIG } from './app.config';

const DATABASE = DatabaseModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'fresnel-projector',
    timeoutMs: config.DATABASE_WRITE_TIMEOUT_MS,
  }),
});
const BUS = KafkaBusModule.registerAsync({
  imports: [DATABASE],
  inject: [CONFIG, Database],
  useFactory: (config: AppConfig, database: Database) => ({
    ...toKafkaConfig(config, 'fresnel-projector'),
    findGeneration: (topic: string) => database.findLogGeneration(topic),
  }),
});
const WORKERS = WorkerPoolModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({ threads: config.WORKER_THREADS }),
});

/** Writes the slots of Kafka to Postgres. */
@Module({
  imports: [
    PlatformModule.register(APP_CONFIG),
    HealthServerModule,
    ProjectorModule.registerAsync({
      imports: [BUS, DATABASE, { module: StoreModule, imports: [DATABASE, WORKERS] }, WORKERS],
      inject: [CONFIG],
      useFactory: (config: AppConfig) => config,
    }),
  ],
})
export class AppModule {}
