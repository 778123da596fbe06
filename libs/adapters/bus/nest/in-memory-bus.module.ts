import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { BUS } from '../bus';
import { InMemoryBus, type InMemoryBusOptions } from '../in-memory.bus';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<InMemoryBusOptions>().build();

/** Provides a bus inside the process, as `InMemoryBus` and as `BUS`. */
@Module({
  providers: [
    {
      provide: InMemoryBus,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: InMemoryBusOptions) => new InMemoryBus(options),
    },
    { provide: BUS, useExisting: InMemoryBus },
  ],
  exports: [InMemoryBus, BUS],
})
export class InMemoryBusModule extends ConfigurableModuleClass {}
