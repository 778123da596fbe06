import { BackgroundTasks } from '@fresnel/platform';
import { PlatformModule } from '@fresnel/platform/nest';
import { Module } from '@nestjs/common';
import { WAIT_CONFIG } from './app.config';
import { MigrationWaiter } from './migration.waiter';

/** Injection token of the only `BackgroundTask`; the process exits when it has ended. */
const WAIT_TASK = Symbol('WaitTask');

/** Waits for the migration that another process runs. */
@Module({
  imports: [PlatformModule.register(WAIT_CONFIG)],
  providers: [
    MigrationWaiter,
    {
      provide: WAIT_TASK,
      inject: [BackgroundTasks, MigrationWaiter],
      useFactory: (tasks: BackgroundTasks, waiter: MigrationWaiter) => tasks.create((signal) => waiter.run(signal)),
    },
  ],
})
export class WaitModule {}
