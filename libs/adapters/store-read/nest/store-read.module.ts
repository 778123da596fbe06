import { ConfigurableModuleBuilder, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Reader, type ReaderOptions } from '../reader';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ReaderOptions>().build();

/** Provides a `Reader` of the database. */
@Global()
@Module({
  providers: [
    {
      provide: Reader,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: ReaderOptions) => new Reader(options),
    },
  ],
  exports: [Reader],
})
export class StoreReadModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly reader: Reader) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }
}
