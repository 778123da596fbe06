// The modules that every application has. A separate entry point, so that libraries and tests without Nest do not load it.
export { HealthServerModule } from './health.module';
export { PlatformModule } from './platform.module';
