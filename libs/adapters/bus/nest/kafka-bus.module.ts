import { Counter, HealthChecks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BUS } from '../bus';
import { type KafkaConfig } from '../kafka-client';
import { KafkaBus } from '../kafka.bus';
import { type GenerationFinder } from '../kafka.generation';

export interface KafkaConnection extends KafkaConfig {
  findGeneration: GenerationFinder;
}

/** Injection token of the options of `KafkaBusModule`. */
export const KAFKA_CONNECTION = Symbol('KafkaConnection');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<KafkaConnection>({
  optionsInjectionToken: KAFKA_CONNECTION,
}).build();

/** Provides a Kafka cluster as `BUS`. The service is ready while its consumers are in their groups, and live unless a batch hangs. */
@Module({
  providers: [
    {
      provide: KafkaBus,
      inject: [KAFKA_CONNECTION, LOGGER, Registry],
      useFactory: ({ findGeneration, ...config }: KafkaConnection, logger: Logger, registry: Registry) =>
        new KafkaBus({ config, logger, findGeneration, onSkipped: countSkipped(registry) }),
    },
    { provide: BUS, useExisting: KafkaBus },
  ],
  exports: [BUS, KAFKA_CONNECTION],
})
export class KafkaBusModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly bus: KafkaBus,
    private readonly checks: HealthChecks,
  ) {
    super();
  }

  onModuleInit(): void {
    this.checks.add(() => Promise.resolve(this.bus.findFaults()));
    this.checks.addLiveness(() => this.bus.findStuck());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.close();
  }
}

function countSkipped(registry: Registry): (records: number) => void {
  const skipped = new Counter({
    name: 'fresnel_kafka_outdated_records_total',
    help: 'Records that consumers skipped because a producer published them for the log before its positions were reset',
    registers: [registry],
  });
  return (records) => {
    skipped.inc(records);
  };
}
