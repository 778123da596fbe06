export { createLogger, LOG_LEVELS, type Logger, type LogLevel, toNestLogger } from './logger';
export { Counter, createRegistry, Gauge, Histogram, Registry } from './metrics';
export {
  address,
  describeDefault,
  describeSettings,
  flag,
  integer,
  oneOf,
  pubkey,
  readSettings,
  type SettingDescription,
  SettingsError,
  slot,
  text,
} from './settings';
export { listenForShutdown } from './shutdown';
