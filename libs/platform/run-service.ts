import { FresnelError } from '@fresnel/domain/primitives';
import { createLogger, type Logger, type LogLevel } from './logger';
import { createRegistry, type Registry } from './metrics';
import { startHealthServer } from './health-server';
import { ConfigError, type ConfigVariable, describeConfig } from './config';
import { listenForShutdown } from './shutdown';

const WRONG_USAGE = 2;

export interface ServiceContext {
  logger: Logger;
  registry: Registry;
  /** Says stop. */
  signal: AbortSignal;
}

/** A process that does one thing until it is told to stop. */
export interface Service {
  name: string;
  /** What --help says of it. */
  summary: string;
  schema: Record<string, ConfigVariable>;
  /** Reads the config. @throws ConfigError */
  configure: () => ConfiguredService;
}

export interface ConfiguredService {
  logLevel: LogLevel;
  /** Works until the signal says stop; what has begun is finished before it settles. */
  run: (context: ServiceContext) => Promise<void>;
}

/** The whole life of a process: `--help`, config, work, SIGTERM, exit code. */
export async function runService({ name, summary, schema, configure }: Service): Promise<never> {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(`${name}: ${summary}\n\nEnvironment variables:\n${describeConfig(schema)}`);
    process.exit(0);
  }
  try {
    const { logLevel, run } = configure();
    const logger = createLogger(logLevel);
    const signal = listenForShutdown(logger);
    await run({ logger, registry: createRegistry(), signal });
    logger.info('stopped');
    process.exit(0);
  } catch (error) {
    console.error(error instanceof FresnelError ? `${name}: ${error.message}` : error);
    process.exit(error instanceof ConfigError ? WRONG_USAGE : 1);
  }
}

/** Serves health and metrics while the work goes on. */
export async function withHealth(
  { HEALTH_HOST: host, HEALTH_PORT: port }: { HEALTH_HOST: string; HEALTH_PORT: number },
  { registry, logger }: ServiceContext,
  findFaults: () => Promise<string[]>,
  work: () => Promise<void>,
): Promise<void> {
  const server = await startHealthServer({ host, port, registry, findFaults });
  logger.info({ port: server.port }, 'health and metrics are served');
  try {
    await work();
  } finally {
    await server.close();
  }
}
