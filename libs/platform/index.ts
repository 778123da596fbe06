export { createLogger, LOG_LEVELS, type Logger, type LogLevel, toNestLogger } from './logger';
export { Counter, createRegistry, Gauge, Histogram, Registry } from './metrics';
export {
  address,
  describeDefault,
  describeSettings,
  flag,
  integer,
  oneOf,
  passOn,
  pubkey,
  readSettings,
  type SettingDescription,
  SettingsError,
  slot,
  text,
} from './settings';
export { listenForShutdown } from './shutdown';
export { type HealthServer, type HealthServerOptions, startHealthServer } from './health-server';
export {
  type ConfiguredService,
  HEALTH_SETTINGS,
  runService,
  type Service,
  SERVICE_SETTINGS,
  type ServiceContext,
  withHealth,
} from './run-service';
export { findFreePort } from './free-port';
export { untilAvailable } from './until-available';
export { type ServerOutput, untilReady } from './server-output';
