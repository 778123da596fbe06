import { ConfigurableModuleBuilder, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type DatabaseOptions } from '../data-source';
import { Database } from '../database';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<DatabaseOptions>().build();

/** Provides a `Database` that is not connected yet, so that a service can start before its database. */
@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: DatabaseOptions) => Database.create(options),
    },
  ],
  exports: [Database],
})
export class DatabaseModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly database: Database) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
