import { BackgroundTask, BackgroundTasks } from '@fresnel/platform';
import { PlatformModule } from '@fresnel/platform/nest';
import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { APP_CONFIG } from './app.config';
import { MigrationService } from './migration.service';
import { PositionResetService } from './position-reset.service';

/** The only task of a migration; the process exits when it has ended. */
@Injectable()
class MigrationTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, migration: MigrationService) {
    super(tasks, (signal) => migration.run(signal));
  }
}

/** The only task of a reset. */
@Injectable()
class ResetTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, reset: PositionResetService) {
    super(tasks, (signal) => reset.run(undefined, signal));
  }
}

export type MigrateCommand = 'migrate' | 'reset-positions';

/** Migrates the database schema and creates the topics, or also resets the positions of consumers. */
@Module({})
export class AppModule {
  static register(command: MigrateCommand): DynamicModule {
    return {
      module: AppModule,
      imports: [PlatformModule.register(APP_CONFIG)],
      providers: [MigrationService, PositionResetService, command === 'migrate' ? MigrationTask : ResetTask],
    };
  }
}
