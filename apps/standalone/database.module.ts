import { Database } from '@fresnel/adapters/store-schema';
import { measurePool } from '@fresnel/adapters/store-schema/nest';
import { BackgroundTask, BackgroundTasks, CONFIG, LOGGER, type Logger, Registry, whenAborted } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type AppConfig } from './app.config';
import { OpenDatabase, openDatabase } from './database';
import { type DatabaseServer } from './database-server';

export interface DatabaseModuleOptions {
  server: Promise<DatabaseServer>;
  /** Ends the wait for a server that cannot be reached yet. */
  shutdown?: AbortSignal;
}

/** Fails when the embedded Postgres exits or restarts itself. */
@Injectable()
class DatabaseWatchTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, { failed }: OpenDatabase) {
    super(tasks, async (signal) => {
      await Promise.race([failed, whenAborted(signal)]);
    });
  }
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<DatabaseModuleOptions>().build();

/** Provides an open `Database` with the current schema on a server, which it stops. */
@Module({
  providers: [
    {
      provide: OpenDatabase,
      inject: [MODULE_OPTIONS_TOKEN, CONFIG, LOGGER],
      useFactory: ({ server, shutdown }: DatabaseModuleOptions, config: AppConfig, logger: Logger) =>
        openDatabase(server, config, logger, shutdown),
    },
    {
      provide: Database,
      inject: [OpenDatabase, Registry],
      useFactory: ({ dataSource, url }: OpenDatabase, registry: Registry) => {
        measurePool(dataSource, registry);
        return new Database(dataSource, url);
      },
    },
    DatabaseWatchTask,
  ],
  exports: [Database],
})
export class DatabaseModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly database: OpenDatabase) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
