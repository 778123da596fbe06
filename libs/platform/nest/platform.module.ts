import { type DynamicModule, Module } from '@nestjs/common';
import { type ConfigSchema } from '../config';
import { BackgroundTasksModule } from './background-tasks.module';
import { ConfigModule } from './config.module';
import { HealthChecksModule } from './health.module';
import { LoggerModule } from './logger.module';
import { MetricsModule } from './metrics.module';

/** What every application has: `CONFIG`, `LOGGER`, the metrics `Registry`, `HealthChecks` and `BackgroundTasks`. */
@Module({})
export class PlatformModule {
  /** @param schema every environment variable that the application reads, LOG_LEVEL among them */
  static register(schema: ConfigSchema): DynamicModule {
    return {
      module: PlatformModule,
      imports: [ConfigModule.register(schema), LoggerModule, MetricsModule, HealthChecksModule, BackgroundTasksModule],
    };
  }
}
