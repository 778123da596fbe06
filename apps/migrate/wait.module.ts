import { BackgroundTask, BackgroundTasks } from '@fresnel/platform';
import { PlatformModule } from '@fresnel/platform/nest';
import { Injectable, Module } from '@nestjs/common';
import { WAIT_CONFIG } from './app.config';
import { MigrationWaiter } from './migration.waiter';

/** The only task; the process exits when it has ended. */
@Injectable()
class WaitTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, waiter: MigrationWaiter) {
    super(tasks, (signal) => waiter.run(signal));
  }
}

/** Waits for the migration that another process runs. */
@Module({
  imports: [PlatformModule.register(WAIT_CONFIG)],
  providers: [MigrationWaiter, WaitTask],
})
export class WaitModule {}
