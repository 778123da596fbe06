import { HealthChecks, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type DatabaseOptions } from '../data-source';
import { Database } from '../database';
import { measurePool } from './pool.metrics';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<DatabaseOptions>().build();

/**
 * Provides a `Database` that is not connected yet, so that a service can start before its database. The
 * service is ready while the database answers.
 */
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
export class DatabaseModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly checks: HealthChecks,
    private readonly registry: Registry,
  ) {
    super();
  }

  onModuleInit(): void {
    measurePool(this.database.dataSource, this.registry);
    this.checks.add(() => this.database.findFaults());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
