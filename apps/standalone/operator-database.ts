import { EmbeddedPostgres } from '@fresnel/adapters/local-servers/postgres';
import { checkSchema, connect } from '@fresnel/adapters/store-schema';
import { type ConfigOf, ConfigError, type Logger } from '@fresnel/platform';
import { type DataSource } from 'typeorm';
import { dataDirOf } from './app.config';
import { type OPERATOR_CONFIG } from './operator.config';

/** The database of an index, also while a Fresnel process uses it. */
export interface OperatorDatabase {
  url: string;
  dataSource: DataSource;
  close(): Promise<void>;
}

type DatabaseConfig = Pick<ConfigOf<typeof OPERATOR_CONFIG>, 'DATABASE_URL' | 'FRESNEL_DATA_DIR' | 'SOLANA_RPC_URL'>;

/**
 * Connects to DATABASE_URL, or to the embedded Postgres of a running process. If none runs, it starts the embedded Postgres
 * until `close`.
 *
 * @throws ConfigError if there is no index
 */
export async function openOperatorDatabase(config: DatabaseConfig, logger: Logger): Promise<OperatorDatabase> {
  const { url, stop } = await findDatabase(config, logger);
  try {
    const dataSource = await connect({ url, poolSize: 2, applicationName: 'fresnel-operator' });
    const close = async () => {
      await dataSource.destroy();
      await stop();
    };
    try {
      await checkSchema(dataSource);
    } catch (error) {
      await dataSource.destroy();
      throw error;
    }
    return { url, dataSource, close };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findDatabase(
  config: DatabaseConfig,
  logger: Logger,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const nothing = () => Promise.resolve();
  if (config.DATABASE_URL !== undefined) return { url: config.DATABASE_URL, stop: nothing };
  const dataDir = dataDirOf(config);
  const running = EmbeddedPostgres.findRunning(dataDir);
  if (running !== null) return { url: running, stop: nothing };
  if (!EmbeddedPostgres.exists(dataDir)) {
    throw new ConfigError(`${dataDir} contains no index: set DATABASE_URL or FRESNEL_DATA_DIR`);
  }
  const server = await EmbeddedPostgres.start(dataDir, (line) => {
    logger.debug({ line }, 'embedded Postgres log');
  });
  return { url: server.url, stop: () => server.stop() };
}
