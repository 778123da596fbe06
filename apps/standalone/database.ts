import { mkdirSync } from 'node:fs';
import { EmbeddedPostgres } from '@fresnel/adapters/embedded-postgres';
import { connect, migrate } from '@fresnel/adapters/store-schema';
import { type Logger } from '@fresnel/platform';
import { type DataSource } from 'typeorm';
import { type AppConfig } from './app.config';

/** A database with the current schema. */
export interface OpenDatabase {
  url: string;
  dataSource: DataSource;
  /** Names of the migrations that were applied. */
  migrations: string[];
  /** Resolves when the embedded server exits; never resolves for DATABASE_URL. */
  exited: Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects to DATABASE_URL, or starts the embedded Postgres, and brings the schema up to date.
 *
 * @param dataDir directory of the embedded Postgres
 */
export async function openDatabase(
  config: Pick<AppConfig, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'>,
  dataDir: string,
  logger: Logger,
): Promise<OpenDatabase> {
  const server = config.DATABASE_URL === undefined ? await startEmbedded(dataDir, logger) : null;
  const url = config.DATABASE_URL ?? server?.url ?? '';
  let dataSource: DataSource | null = null;
  const close = async () => {
    await dataSource?.destroy();
    await server?.stop();
  };
  try {
    dataSource = await connect({ url, poolSize: config.DATABASE_POOL_SIZE, applicationName: 'fresnel' });
    const migrations = await migrate(dataSource);
    if (migrations.length > 0) logger.info({ migrations }, 'migrations applied');
    return { url, dataSource, migrations, exited: server?.exited() ?? new Promise(() => undefined), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startEmbedded(dataDir: string, logger: Logger): Promise<EmbeddedPostgres> {
  mkdirSync(dataDir, { recursive: true });
  const server = await EmbeddedPostgres.start(dataDir, (line) => {
    logger.debug({ line }, 'embedded Postgres log');
  });
  logger.info({ dataDir }, 'embedded Postgres started');
  return server;
}
