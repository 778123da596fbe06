import { BackgroundTasks } from '@fresnel/platform';
import { PlatformModule } from '@fresnel/platform/nest';
import { Module } from '@nestjs/common';
import { APP_CONFIG } from './app.config';
import { MigrationService } from './migration.service';

/** Injection token of the only `BackgroundTask`; the process exits when it has ended. */
const MIGRATION_TASK = Symbol('MigrationTask');

/** Migrates the database schema and creates the topics. */
@Module({
  imports: [PlatformModule.register(APP_CONFIG)],
  providers: [
    MigrationService,
    {
      provide: MIGRATION_TASK,
      inject: [BackgroundTasks, MigrationService],
      useFactory: (tasks: BackgroundTasks, migration: MigrationService) => tasks.create(() => migration.run()),
    },
  ],
})
export class AppModule {}
