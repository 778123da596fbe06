import { connect, migrateDatabase } from '@fresnel/adapters/store-schema';
import { type Logger } from '@fresnel/platform';
import { type DataSource } from 'typeorm';
import { type AppConfig } from './app.config';
import { type DatabaseServer } from './database-server';

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

/** Connects to a server, and brings the schema up to date. The server is stopped with the database, or if this fails. */
export async function openDatabase(
  server: Promise<DatabaseServer>,
  config: Pick<AppConfig, 'DATABASE_POOL_SIZE' | 'DATABASE_WRITE_TIMEOUT_MS'>,
  logger: Logger,
): Promise<OpenDatabase> {
  const started = await server;
  let dataSource: DataSource | null = null;
  const close = async () => {
    await dataSource?.destroy();
    await started.stop();
  };
  try {
    const migrations = await migrateDatabase(started.url);
    if (migrations.length > 0) logger.info({ migrations }, 'migrations applied');
    dataSource = await connect({
      url: started.url,
      poolSize: config.DATABASE_POOL_SIZE,
      applicationName: 'fresnel',
      timeoutMs: config.DATABASE_WRITE_TIMEOUT_MS,
    });
    return { url: started.url, dataSource, migrations, exited: started.exited, close };
  } catch (error) {
    await close();
    throw error;
  }
}
