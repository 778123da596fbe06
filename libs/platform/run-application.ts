import { type DynamicModule, type INestApplicationContext, type LoggerService, type Type } from '@nestjs/common';
import { BackgroundTasks } from './background-tasks';
import { ConfigError, type ConfigOf, type ConfigSchema, describeConfig, loadConfig } from './config';
import { HealthChecks } from './health-checks';
import { createLogger, identifyService, type Logger, toNestLogger } from './logger';
import { reportCrashes, reportFailure } from './report-failure';
import { DRAIN_CONFIG, SERVICE_CONFIG } from './service.config';
import { listenForShutdown, whenAborted } from './shutdown';
import { sleep } from './time';
import { startTracing, type Tracing } from './tracing/start-tracing';
import { TRACING_CONFIG } from './tracing/tracing.config';

const INVALID_USAGE = 2;
/** The last line of --help. */
const PAGES = 'docs/operations.md explains the services, docs/configuration.md lists the variables of all of them.';
/** How long the application may take to close after a failure. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Options of every Nest application. Errors are thrown, and `runApplication` reports them. */
export interface NestOptions {
  logger: LoggerService;
  abortOnError: false;
}

/** A Nest application that runs as its own process. */
export interface Application<Schema extends ConfigSchema> {
  name: string;
  /** One line for --help. */
  summary: string;
  /** The commands and options for --help; without it, the application has none. */
  usage?: string;
  /** Every environment variable that the application reads. */
  schema: Schema;
  /** Whether the background tasks have to end by themselves. A signal before is a failure. */
  isJob?: boolean;
  /** Creates the application and starts it. Imports its modules lazily, so that --help does not load them. */
  start: (config: ConfigOf<Schema>, options: NestOptions) => Promise<INestApplicationContext>;
}

/**
 * Runs an application until SIGTERM or Ctrl-C, the end of its background tasks, or the failure of one.
 *
 * After a signal, an application that receives requests is not ready and still answers, for SHUTDOWN_DRAIN_MS: clients and load
 * balancers need this time to notice. Then it closes. A second signal ends it at once.
 *
 * Exit codes: 0 after a shutdown or for --help, 2 for an invalid configuration, 1 for any other error and for a job that a signal
 * interrupts.
 */
export async function runApplication<Schema extends ConfigSchema>(application: Application<Schema>): Promise<never> {
  const { name, summary, usage, schema, isJob = false, start } = application;
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    const parts = [`${name}: ${summary}`, ...(usage === undefined ? [] : [usage])];
    console.log([...parts, `Environment variables:\n${describeConfig(schema)}`, PAGES].join('\n\n'));
    process.exit(0);
  }
  identifyService(name);
  reportCrashes(name);
  let app: INestApplicationContext | null = null;
  let tracing: Tracing | null = null;
  try {
    const config = loadConfig(schema);
    const logger = createLogger(loadConfig(SERVICE_CONFIG).LOG_LEVEL);
    const drainMs = 'SHUTDOWN_DRAIN_MS' in schema ? loadConfig(DRAIN_CONFIG).SHUTDOWN_DRAIN_MS : 0;
    const shutdown = listenForShutdown(logger, drainMs);
    if ('OTEL_TRACES_SAMPLER' in schema) tracing = startTracing(name, loadConfig(TRACING_CONFIG), logger);
    app = await start(config, nestOptions(logger));
    const ended = app.get(BackgroundTasks).whenEnded();
    let isComplete = !isJob;
    await Promise.race([ended.then(() => (isComplete = true)), whenAborted(shutdown)]);
    app.get(HealthChecks).startDraining();
    if (shutdown.aborted) await Promise.race([ended, sleep(drainMs)]);
    await app.close();
    await tracing?.close();
    if (isComplete) logger.info('stopped');
    else logger.error('stopped before its work was complete');
    process.exit(isComplete ? 0 : 1);
  } catch (error) {
    reportFailure(name, error);
    await Promise.race([app?.close(), sleep(CLOSE_TIMEOUT_MS)]).catch(() => undefined);
    await tracing?.close();
    process.exit(error instanceof ConfigError ? INVALID_USAGE : 1);
  }
}

/** Starts an application without an HTTP server. */
export async function startContext(root: Type | DynamicModule, options: NestOptions): Promise<INestApplicationContext> {
  const { NestFactory } = await import('@nestjs/core');
  return NestFactory.createApplicationContext(root, options);
}

export function nestOptions(logger: Logger): NestOptions {
  return { logger: toNestLogger(logger), abortOnError: false };
}
