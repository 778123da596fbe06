import { randomBytes } from 'node:crypto';
import { connect, migrate } from '@fresnel/adapters/store-schema';
import { sharedPostgres } from '@fresnel/testing/servers';
import { type DataSource } from 'typeorm';

/** A database for one suite on the shared server. */
export interface TestDatabase {
  url: string;
  dataSource: DataSource;
  drop(): Promise<void>;
}

/** Creates a database with the current schema. Call `drop` when the suite ends. */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const serverUrl = await sharedPostgres();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  const dataSource = await connect({ url: url.href, poolSize: 8, applicationName: 'fresnel-tests' });
  if (migrated) await migrate(dataSource);
  return {
    url: url.href,
    dataSource,
    drop: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function onServer(url: string, sql: string): Promise<void> {
  const dataSource = await connect({ url, poolSize: 1, applicationName: 'fresnel-tests' });
  try {
    await dataSource.query(sql);
  } finally {
    await dataSource.destroy();
  }
}
