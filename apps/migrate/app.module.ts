import { BackgroundTasks } from '@fresnel/platform';
import { PlatformModule } from '@fresnel/platform/nest';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_CONFIG } from './app.config';
import { MigrationService } from './migration.service';
import { PositionResetService } from './position-reset.service';

/** Injection token of the only `BackgroundTask`; the process exits when it has ended. */
const MIGRATION_TASK = Symbol('MigrationTask');

export type MigrateCommand = 'migrate' | 'reset-positions';

/** Migrates the database schema and creates the topics, or also resets the positions of consumers. */
@Module({})
export class AppModule {
  static register(command: MigrateCommand): DynamicModule {
    return {
      module: AppModule,
      imports: [PlatformModule.register(APP_CONFIG)],
      providers: [
        MigrationService,
        PositionResetService,
        {
          provide: MIGRATION_TASK,
          inject: [BackgroundTasks, MigrationService, PositionResetService],
          useFactory: (tasks: BackgroundTasks, migration: MigrationService, reset: PositionResetService) =>
            tasks.create((signal) => (command === 'migrate' ? migration.run(signal) : reset.run())),
        },
      ],
    };
  }
}
