import { randomBytes } from 'node:crypto';
import { sharedPostgres } from '@fresnel/testing/servers';
import { onDatabase, type TestDatabase } from './test-database';

/** A copy of a database at one moment. */
export interface DatabaseBackup {
  /** Replaces the database by the copy. Its connections are closed. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** Copies a database. Postgres copies only databases without connections, so those are refused meanwhile. */
export async function backUpDatabase({ url }: Pick<TestDatabase, 'url'>): Promise<DatabaseBackup> {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_${randomBytes(4).toString('hex')}`;
  await onServer(async (query) => {
    await query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    try {
      await query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`);
      await query(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
    } finally {
      await query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    }
  });
  return {
    restore: () => replaceDatabase(name, `TEMPLATE ${copy}`),
    drop: () => onServer((query) => query(`DROP DATABASE ${copy}`)),
  };
}

/** Replaces a database by an empty one. Its connections are closed. */
export function emptyDatabase({ url }: Pick<TestDatabase, 'url'>): Promise<void> {
  return replaceDatabase(new URL(url).pathname.slice(1), '');
}

function replaceDatabase(name: string, source: string): Promise<void> {
  return onServer(async (query) => {
    await query(`DROP DATABASE ${name} WITH (FORCE)`);
    await query(`CREATE DATABASE ${name} ${source}`);
  });
}

async function onServer(act: (query: (sql: string) => Promise<unknown>) => Promise<unknown>): Promise<void> {
  await onDatabase(await sharedPostgres(), (server) => act((sql) => server.query(sql)));
}
