// The modules that every application has. A separate entry point, so that libraries and tests without Nest do not load it.
export { BackgroundTasksModule } from './background-tasks.module';
export { ConfigModule } from './config.module';
export { HealthChecksModule, HealthServerModule } from './health.module';
export { LoggerModule } from './logger.module';
export { MetricsModule } from './metrics.module';
export { PlatformModule } from './platform.module';
