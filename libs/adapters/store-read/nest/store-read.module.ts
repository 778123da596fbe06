import { Histogram, LOGGER, type Logger, Registry, SECONDS_BUCKETS } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Reader, type ReaderOptions } from '../reader';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ReaderOptions>().build();

/** Provides a `Reader` of the database. */
@Module({
  providers: [
    {
      provide: Reader,
      inject: [MODULE_OPTIONS_TOKEN, Registry, LOGGER],
      useFactory: (options: ReaderOptions, registry: Registry, logger: Logger) =>
        new Reader({
          ...options,
          ...measureQueries(registry),
          onSilence: (statement) => {
            logger.warn({ statement }, 'the database does not answer, connecting again');
          },
        }),
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

function measureQueries(registry: Registry): Pick<ReaderOptions, 'onQuery'> {
  const duration = new Histogram({
    name: 'fresnel_postgres_read_seconds',
    help: 'Duration of read statements by outcome, with a retry on a new connection',
    labelNames: ['statement', 'outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  });
  return {
    onQuery: (statement, outcome, seconds) => {
      duration.observe({ statement, outcome }, seconds);
    },
  };
}
