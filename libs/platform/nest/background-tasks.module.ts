import { Global, Module } from '@nestjs/common';
import { BackgroundTasks } from '../background-tasks';

/** Provides `BackgroundTasks`. */
@Global()
@Module({ providers: [BackgroundTasks], exports: [BackgroundTasks] })
export class BackgroundTasksModule {}
