import { HealthChecks, LOGGER, type Logger } from '@fresnel/platform';
import {
  ConfigurableModuleBuilder,
  Global,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { BUS } from '../bus';
import { type KafkaConfig } from '../kafka-client';
import { KafkaBus } from '../kafka.bus';

/** Injection token of the options of `KafkaBusModule`. */
export const KAFKA_CONNECTION = Symbol('KafkaConnection');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<KafkaConfig>({
  optionsInjectionToken: KAFKA_CONNECTION,
}).build();

/** Provides a Kafka cluster as `BUS`. The service is ready while its consumers are in their groups, and live unless a batch hangs. */
@Global()
@Module({
  providers: [
    {
      provide: KafkaBus,
      inject: [KAFKA_CONNECTION, LOGGER],
      useFactory: (config: KafkaConfig, log: Logger) => new KafkaBus({ config, log }),
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
