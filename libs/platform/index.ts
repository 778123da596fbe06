export { createLogger, LOG_LEVELS, type Logger, type LogLevel, toNestLogger } from './logger';
export { Counter, createRegistry, Gauge, Histogram, Registry } from './metrics';
