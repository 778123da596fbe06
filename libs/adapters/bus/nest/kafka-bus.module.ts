import { LOGGER, type Logger } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { BUS } from '../bus';
import { type KafkaConfig } from '../kafka-client';
import { KafkaBus } from '../kafka.bus';

/** Injection token of the options of `KafkaBusModule`. */
export const KAFKA_CONNECTION = Symbol('KafkaConnection');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<KafkaConfig>({
  optionsInjectionToken: KAFKA_CONNECTION,
}).build();

/** Provides a Kafka cluster as `BUS`. */
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
export class KafkaBusModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly bus: KafkaBus) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.close();
  }
}
