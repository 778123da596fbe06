import { connect, migrateDatabase, whileAvailable } from '@fresnel/adapters/store-schema';
import { type Logger, retryUntilAvailable } from '@fresnel/platform';
import { type DataSource } from 'typeorm';
import { type AppConfig } from './app.config';
import { type DatabaseServer } from './database-server';

/** A database with the current schema. */
export abstract class OpenDatabase {
  abstract url: string;
  abstract dataSource: DataSource;
  /** The migrations and functions that were applied. */
  abstract migrations: string[];
  /** Rejects when the embedded server cannot be used any more; never settles for DATABASE_URL. */
  abstract failed: Promise<never>;
  abstract close(): Promise<void>;
}

/**
 * Connects to a server once it can be reached, and brings the schema up to date. The server is stopped with the database, or if
 * this fails.
 *
 * @throws StorePermanentError if the server rejects the connection, the reason of the signal, the error of the embedded server
 */
export async function openDatabase(
  server: Promise<DatabaseServer>,
  config: Pick<AppConfig, 'DATABASE_POOL_SIZE' | 'DATABASE_WRITE_TIMEOUT_MS'>,
  logger: Logger,
  signal: AbortSignal = new AbortController().signal,
): Promise<OpenDatabase> {
  const started = await server;
  let dataSource: DataSource | null = null;
  const close = async () => {
    await dataSource?.destroy();
    await started.stop();
  };
  try {
    const migrating = retryUntilAvailable(() => whileAvailable(() => migrateDatabase(started.url)), { signal, logger });
    const migrations = await Promise.race([migrating, started.failed]);
    if (migrations === null) throw signal.reason;
    if (migrations.length > 0) logger.info({ migrations }, 'migrations applied');
    dataSource = await connect({
      url: started.url,
      poolSize: config.DATABASE_POOL_SIZE,
      applicationName: 'fresnel',
      timeoutMs: config.DATABASE_WRITE_TIMEOUT_MS,
    });
    return { url: started.url, dataSource, migrations, failed: started.failed, close };
  } catch (error) {
    await close();
    throw error;
  }
}
