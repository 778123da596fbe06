import { mkdirSync } from 'node:fs';
import { EmbeddedPostgres } from '@fresnel/adapters/embedded-postgres';
import { connect, migrate } from '@fresnel/adapters/store-schema';
import { type Logger } from '@fresnel/platform';
import { type DataSource } from 'typeorm';
import { type StandaloneConfig } from './standalone.config';

/** A database with the current schema. */
export interface OpenDatabase {
  url: string;
  dataSource: DataSource;
  /** Names of the migrations that ran just now. */
  migrations: string[];
  /** Settles when an embedded server is gone; never for one that is not ours. */
  whenGone: Promise<void>;
  close(): Promise<void>;
}

/** Connects to the database of the config, or starts the embedded one, and brings the schema up to date. */
export async function openDatabase(config: StandaloneConfig, dataDir: string, logger: Logger): Promise<OpenDatabase> {
  const server = config.databaseUrl === undefined ? await startEmbedded(dataDir, logger) : null;
  const url = config.databaseUrl ?? server?.url ?? '';
  let dataSource: DataSource | null = null;
  const close = async () => {
    await dataSource?.destroy();
    await server?.stop();
  };
  try {
    dataSource = await connect({ url, poolSize: config.poolSize, applicationName: 'fresnel' });
    const migrations = await migrate(dataSource);
    if (migrations.length > 0) logger.info({ migrations }, 'schema brought up to date');
    return { url, dataSource, migrations, whenGone: server?.whenGone() ?? new Promise(() => undefined), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startEmbedded(dataDir: string, logger: Logger): Promise<EmbeddedPostgres> {
  mkdirSync(dataDir, { recursive: true });
  const server = await EmbeddedPostgres.start(dataDir, (line) => {
    logger.debug({ line }, 'embedded postgres');
  });
  logger.info({ dataDir }, 'embedded postgres started');
  return server;
}
