export { createLogger, LOG_LEVELS, type Logger, type LogLevel, toNestLogger } from './logger';
export { Counter, createRegistry, Gauge, Histogram, Registry } from './metrics';
export {
  address,
  describeDefault,
  describeConfig,
  flag,
  integer,
  oneOf,
  forwardEnv,
  pubkey,
  readConfig,
  type ConfigVariable,
  ConfigError,
  slot,
  text,
} from './config';
export { listenForShutdown } from './shutdown';
export { type HealthServer, type HealthServerOptions, startHealthServer } from './health-server';
export {
  type ConfiguredService,
  HEALTH_CONFIG,
  runService,
  type Service,
  SERVICE_CONFIG,
  type ServiceContext,
  withHealth,
} from './run-service';
export { findFreePort } from './free-port';
export { untilAvailable } from './until-available';
export { type ServerOutput, untilReady } from './server-output';
