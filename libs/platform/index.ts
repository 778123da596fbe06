export { BackgroundTask, BackgroundTasks, type Work } from './background-tasks';
export {
  address,
  addresses,
  CONFIG,
  ConfigError,
  type ConfigOf,
  type ConfigSchema,
  type ConfigVariable,
  describeConfig,
  describeDefault,
  fileText,
  flag,
  forwardEnv,
  host,
  integer,
  loadConfig,
  oneOf,
  pubkey,
  readConfig,
  required,
  requiredIf,
  requireSet,
  serverAddress,
  slot,
  text,
} from './config';
export { yieldAfter } from './event-loop';
export { EventLoopDelay } from './event-loop-delay';
export { findFreePort, findFreePortPair } from './free-port';
export { type HealthCheck, HealthChecks, type LivenessCheck } from './health-checks';
export { type HealthServer, type HealthServerOptions, startHealthServer } from './health-server';
export { createLogger, LOG_SERIALIZERS, LOGGER, type Logger, type LogLevel } from './logger';
export { Counter, createLateGauge, createRegistry, Gauge, Histogram, Registry, SECONDS_BUCKETS } from './metrics';
export { type Application, nestOptions, type NestOptions, runApplication, startContext } from './run-application';
export { type Exit, type ServerCommand, SupervisedProcess } from './supervised-process';
export { reportProgress, waitForOthers } from './progress';
export { secret, secretNames } from './secret-files';
export { DRAIN_CONFIG, HEALTH_CONFIG, SERVICE_CONFIG } from './service.config';
export { listenForShutdown, SHUTDOWN_DEADLINE_MS, whenAborted } from './shutdown';
export { reportCrashes, reportFailure } from './report-failure';
export { type Backoff, pauseAfter, retry, type RetryPolicy } from './retry';
export { retryUntilAvailable } from './retry-until-available';
export { readBody } from './read-body';
export { redact, registerSecret } from './redaction';
export { isReadOnlyRedis, isRedisOutage } from './redis-errors';
export {
  activeSpan,
  addSpan,
  failSpan,
  inSpan,
  linkSpans,
  type Period,
  type Span,
  type SpanContext,
} from './tracing/spans';
export { startTracing, type Tracing } from './tracing/start-tracing';
export { remoteSpan, traceHeaders, withRemoteParent } from './tracing/trace-headers';
export { useTracerProvider } from './tracing/tracing-sdk';
export { TRACING_CONFIG } from './tracing/tracing.config';
export { tuneGarbageCollection } from './tune-garbage-collection';
export { Turns } from './turns';
export { type Endpoint, parseUrl, splitService, toEndpoint } from './urls';
export { START_COMMAND, VERSION } from './version';
export { Watchdog } from './watchdog';
