import { Global, Module } from '@nestjs/common';
import { BackgroundTasks } from '../background-tasks';
import { HealthChecks } from '../health-checks';

/** Provides `BackgroundTasks`. The process is live while none of their loops hangs. */
@Global()
@Module({
  providers: [
    {
      provide: BackgroundTasks,
      inject: [HealthChecks],
      useFactory: (checks: HealthChecks) => {
        const tasks = new BackgroundTasks();
        checks.addLiveness(() => tasks.findStuck());
        return tasks;
      },
    },
  ],
  exports: [BackgroundTasks],
})
export class BackgroundTasksModule {}
