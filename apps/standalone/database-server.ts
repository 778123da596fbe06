import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgres, EmbeddedPostgresError } from '@fresnel/adapters/embedded-postgres';
import { messageOf } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type AppConfig } from './app.config';

/** A migrated cluster beside the bundle. The build makes it after each change of the bundle; the sources have none. */
export const CLUSTER_TEMPLATE = join(__dirname, 'cluster-template');

/** A Postgres that accepts connections. */
export interface DatabaseServer {
  url: string;
  /** Resolves when the embedded server exits; never resolves for DATABASE_URL. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded Postgres unless DATABASE_URL names a server. The caller can load modules meanwhile: a first start takes
 * as long as loading all of them.
 */
export function startDatabaseServer(
  { DATABASE_URL, FRESNEL_DATA_DIR, SOLANA_RPC_URL }: AppConfig,
  logger: Logger,
  defaultDataDir = SOLANA_RPC_URL === undefined ? '.fresnel/demo' : '.fresnel/data',
): Promise<DatabaseServer> {
  const server =
    DATABASE_URL === undefined
      ? startEmbedded(FRESNEL_DATA_DIR ?? defaultDataDir, logger)
      : Promise.resolve(givenServer(DATABASE_URL));
  // The caller awaits it later, when Node would have ended the process.
  server.catch(() => undefined);
  return server;
}

function givenServer(url: string): DatabaseServer {
  return { url, exited: new Promise(() => undefined), stop: () => Promise.resolve() };
}

async function startEmbedded(dataDir: string, logger: Logger): Promise<DatabaseServer> {
  makeDataDir(dataDir);
  const onLog = (line: string) => {
    logger.debug({ line }, 'embedded Postgres log');
  };
  const server = await EmbeddedPostgres.start(dataDir, onLog, { template: CLUSTER_TEMPLATE });
  logger.info({ dataDir, programs: server.programs }, 'embedded Postgres started');
  return { url: server.url, exited: server.exited(), stop: () => server.stop() };
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

/** Replaces the copy of the template that this start may have taken. The next first start needs it only to be faster. */
export function prepareNextStart(): void {
  EmbeddedPostgres.makeCopy(CLUSTER_TEMPLATE).catch(() => undefined);
}
