import { FresnelError } from '@fresnel/domain/primitives';
import { type DataSource, QueryFailedError } from 'typeorm';
import { connect } from './data-source';
import { sqlStateOf } from './outage';
import { applyFunctions, findUnknownFunctions } from './schema-functions';

/** One connection holds the lock against concurrent migrations, the other runs them. */
export const MIGRATION_CONNECTIONS = 2;

/** The schema lacks migrations or functions that this version needs. */
export class SchemaBehindError extends FresnelError {
  readonly code = 'schema-behind';
  readonly isRetryable = false;
}

const NO_SUCH_TABLE = '42P01';

/**
 * Checks the schema in processes that do not migrate. It may be that of a later version: such a process goes on while the next
 * version is deployed.
 *
 * @throws SchemaBehindError
 */
export async function checkSchema(dataSource: DataSource): Promise<void> {
  const missing = await findMissingMigrations(dataSource);
  // The last migration creates the table that lists the functions.
  if (missing.length === 0) missing.push(...(await findUnknownFunctions(dataSource)));
  if (missing.length === 0) return;
  throw new SchemaBehindError(`the schema lacks ${missing.join(', ')}: run the app "migrate" first`);
}

async function findMissingMigrations(dataSource: DataSource): Promise<string[]> {
  const done = await dataSource.query<{ name: string }[]>(`SELECT name FROM migrations`).catch((error: unknown) => {
    if (error instanceof QueryFailedError && sqlStateOf(error.driverError) === NO_SUCH_TABLE) return [];
    throw error;
  });
  const names = new Set(done.map(({ name }) => name));
  return dataSource.migrations.map(({ constructor }) => constructor.name).filter((name) => !names.has(name));
}

/** Migrates a database on connections of its own. @throws as `connect` and `migrate` do */
export async function migrateDatabase(url: string): Promise<string[]> {
  const dataSource = await connect({ url, poolSize: MIGRATION_CONNECTIONS, applicationName: 'fresnel-migrate' });
  return migrate(dataSource).finally(() => dataSource.destroy());
}

/**
 * Runs the missing migrations, and then applies the functions that are not those of this version. The data source has at least
 * two connections, without a time limit. Two processes can call it at the same time: the second waits for the first.
 *
 * @returns names of the migrations, and files of the functions
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query(`SELECT pg_advisory_lock(hashtext('fresnel-migrations'))`);
    const migrations = await dataSource.runMigrations();
    return [...migrations.map(({ name }) => name), ...(await applyFunctions(dataSource))];
  } finally {
    await lock.query(`SELECT pg_advisory_unlock(hashtext('fresnel-migrations'))`).catch(() => undefined);
    await lock.release();
  }
}
