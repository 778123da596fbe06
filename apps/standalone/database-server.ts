import { accessSync, constants, mkdirSync } from 'node:fs';
import { EmbeddedPostgres, EmbeddedPostgresError } from '@fresnel/adapters/local-servers/postgres';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { type Logger, whenAborted } from '@fresnel/platform';
import { type AppConfig, dataDirOf } from './app.config';

/**
 * A process of the embedded Postgres has crashed, so that it ends all others and recovers. The last commits may be lost, because
 * they are not synchronous: only a new start of the application knows the stored position.
 */
export class DatabaseRestartedError extends FresnelError {
  readonly code = 'database-restarted';
  readonly isRetryable = true;
}

/** The server writes the one line to its log at once, and the other one when it has recovered. */
const CRASH_LINE = /terminating any other active server processes/;
const READY_LINE = /ready to accept connections/;

/** A Postgres that accepts connections. */
export interface DatabaseServer {
  url: string;
  /** Rejects when the embedded server exits or restarts itself; never settles for DATABASE_URL. */
  failed: Promise<never>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded Postgres unless DATABASE_URL names a server. The caller can load modules meanwhile: a first start takes
 * as long as loading all of them.
 */
export function startDatabaseServer(
  config: AppConfig,
  logger: Logger,
  dataDir = dataDirOf(config),
): Promise<DatabaseServer> {
  const server =
    config.DATABASE_URL === undefined
      ? startEmbedded(dataDir, logger)
      : Promise.resolve(givenServer(config.DATABASE_URL));
  // The caller awaits it later, when Node would have ended the process.
  server.catch(() => undefined);
  return server;
}

function givenServer(url: string): DatabaseServer {
  return { url, failed: new Promise(() => undefined), stop: () => Promise.resolve() };
}

async function startEmbedded(dataDir: string, logger: Logger): Promise<DatabaseServer> {
  makeDataDir(dataDir);
  const [crash, recovery] = [new AbortController(), new AbortController()];
  const onLog = (line: string) => {
    logger.debug({ line }, 'embedded Postgres log');
    if (CRASH_LINE.test(line)) crash.abort();
    if (crash.signal.aborted && READY_LINE.test(line)) recovery.abort();
  };
  const server = await EmbeddedPostgres.start(dataDir, onLog);
  logger.info({ dataDir, programs: server.programs }, 'embedded Postgres started');
  const failed = Promise.race([
    server.exited().then(() => Promise.reject(new Error('the embedded Postgres exited'))),
    whenAborted(crash.signal).then(() => Promise.reject(new DatabaseRestartedError('a process of Postgres crashed'))),
  ]);
  failed.catch(() => undefined); // the caller stops it, or has not awaited it yet
  const stop = async () => {
    // Postgres 18 ignores a shutdown while it recovers.
    if (crash.signal.aborted) await Promise.race([whenAborted(recovery.signal), server.exited()]);
    await server.stop();
  };
  return { url: server.url, failed, stop };
}

/** @throws EmbeddedPostgresError if this user cannot write there */
function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `the data folder cannot be used (${messageOf(error)}): choose another FRESNEL_DATA_DIR, or set DATABASE_URL`,
      { cause: error },
    );
  }
}
