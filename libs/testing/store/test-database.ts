import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, migrate } from '@fresnel/adapters/store-schema';
import { sharedPostgres } from '@fresnel/testing/servers';
import { type DataSource } from 'typeorm';

/** A database for one suite on the shared server. */
export interface TestDatabase {
  url: string;
  dataSource: DataSource;
  /** Deletes all rows: a database that nothing was indexed into. Faster than a new database. */
  empty(): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Rows of small tables are deleted. A TRUNCATE takes 100 times as long, because it makes new files for a table and each of its indexes;
 * larger tables need it, since nothing removes their dead rows soon.
 */
const EMPTY = `
  DO $$ BEGIN
    EXECUTE (
      SELECT COALESCE(string_agg(CASE WHEN pages < 8 THEN 'DELETE FROM ' ELSE 'TRUNCATE ' END || quote_ident(tablename), '; '), '')
      FROM pg_tables, LATERAL (SELECT pg_relation_size(quote_ident(tablename)::regclass) / 8192 AS pages) AS size
      WHERE schemaname = 'public' AND tablename NOT IN ('indexer_state', 'chain_tip', 'migrations', 'schema_functions')
        AND pages > 0);
    PERFORM setval(quote_ident(sequencename)::regclass, start_value, false) FROM pg_sequences
      WHERE schemaname = 'public' AND sequencename NOT SIMILAR TO '(migrations|schema_functions)%'
        AND last_value IS NOT NULL;
    UPDATE indexer_state SET genesis_hash = NULL, first_slot = NULL, indexed_slot = NULL,
      revision = 0, index_id = gen_random_uuid();
    UPDATE chain_tip SET slot = NULL, seen_at = NULL;
  END $$`;

/** A database with the current schema, which is copied for each suite. */
const TEMPLATE = 'test_template';
const UNFINISHED_TEMPLATE = 'test_template_unfinished';

/** Copies the files of the template. The default writes each page to the log too, which takes three times as long. */
const BY_FILES = 'STRATEGY file_copy';

/** Creates a database with the current schema. Call `drop` when the suite ends. */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const serverUrl = await sharedPostgres();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onDatabase(serverUrl, async (server) => {
    if (migrated) await createTemplate(server, serverUrl);
    await server.query(`CREATE DATABASE ${name} ${migrated ? `TEMPLATE ${TEMPLATE}` : ''} ${BY_FILES}`);
  });
  const url = urlOf(serverUrl, name);
  const dataSource = await connect({ url, poolSize: 8, applicationName: 'fresnel-tests' });
  if (migrated) await dataSource.query(`UPDATE indexer_state SET index_id = gen_random_uuid()`);
  return {
    url,
    dataSource,
    empty: () => dataSource.query(EMPTY),
    drop: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await onDatabase(serverUrl, async (server) => {
        await waitForSessions(server, name);
        await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
      });
    },
  };
}

/** Creates the template if it does not exist. Other processes wait. */
async function createTemplate(server: DataSource, serverUrl: string): Promise<void> {
  await server.query(`SELECT pg_advisory_lock(hashtext('${TEMPLATE}'))`);
  const found = await server.query<object[]>(`SELECT FROM pg_database WHERE datname = '${TEMPLATE}'`);
  if (found.length === 0) {
    await server.query(`DROP DATABASE IF EXISTS ${UNFINISHED_TEMPLATE}`);
    await server.query(`CREATE DATABASE ${UNFINISHED_TEMPLATE}`);
    await onDatabase(urlOf(serverUrl, UNFINISHED_TEMPLATE), migrate);
    await server.query(`ALTER DATABASE ${UNFINISHED_TEMPLATE} RENAME TO ${TEMPLATE}`);
  }
  await server.query(`SELECT pg_advisory_unlock(hashtext('${TEMPLATE}'))`);
}

/** Far above what a busy machine needs to end a session. */
const SESSIONS_END_MS = 30_000;

/**
 * Waits for sessions whose connections are closed. A session that is ended by force reports an error to its connection, when the
 * suite may be over. Those of connections that stay open, as those of processes after a test that failed, are not waited for.
 */
async function waitForSessions(server: DataSource, name: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < SESSIONS_END_MS; waitedMs += 10) {
    const sessions = await server.query<object[]>('SELECT FROM pg_stat_activity WHERE datname = $1', [name]);
    if (sessions.length === 0) return;
    await sleep(10);
  }
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = database;
  return url.href;
}

/** Runs on a database, with connections of its own. */
export async function onDatabase(url: string, act: (database: DataSource) => Promise<unknown>): Promise<void> {
  const dataSource = await connect({ url, poolSize: 2, applicationName: 'fresnel-tests' });
  try {
    await act(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
