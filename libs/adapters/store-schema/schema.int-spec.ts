import { eventually } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCOUNT_COLUMNS, SPEND_COLUMNS } from './account-columns';
import { connect } from './data-source';
import { checkSchema, migrate, SchemaBehindError } from './schema';
import { readFunctions } from './schema-functions';

/** What CONTRIBUTING.md says about an index on a large table. */
class IndexConcurrently implements MigrationInterface {
  readonly name = 'IndexConcurrently9990000000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS late_index');
    await runner.query('CREATE INDEX CONCURRENTLY late_index ON trees (queue)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY late_index');
  }
}

const INSERT_TREE = `INSERT INTO trees (tree, queue, tree_type, height, root_history_capacity) VALUES (decode($1, 'hex'), '', 1, 26, 2400)`;

const findIndexes = (dataSource: DataSource) =>
  dataSource.query<{ indisvalid: boolean }[]>(
    `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('late_index')`,
  );

describe('the schema', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
  });
  afterEach(() => database.drop());

  it.each([
    ['accounts', ACCOUNT_COLUMNS],
    ['spends', SPEND_COLUMNS],
  ])('has the columns of %s that statements are derived from', async (table, expected) => {
    await migrate(database.dataSource);
    const columns = await database.dataSource.query<{ column_name: string; data_type: string }[]>(
      `SELECT column_name, data_type FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position`,
      [table],
    );
    expect(columns.map(({ column_name: name, data_type: type }) => [name, type])).toEqual(Object.entries(expected));
  });

  it('is empty after every migration is reverted, and can be created again', async () => {
    const names = await migrate(database.dataSource);
    for (let count = database.dataSource.migrations.length; count > 0; count--)
      await database.dataSource.undoLastMigration();
    const tables = await database.dataSource.query<{ table_name: string }[]>(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    expect(tables).toEqual([{ table_name: 'migrations' }]);
    expect(await migrate(database.dataSource)).toEqual(names);
  });

  it('loses the items of each reverted migration, and is equal after migrating again', async () => {
    await migrate(database.dataSource);
    const after = [await describeSchema()];
    for (let count = database.dataSource.migrations.length; count > 0; count--) {
      await database.dataSource.undoLastMigration();
      after.push(await describeSchema());
    }
    const [full, ...smaller] = after;
    // Each migration adds items, so each revert removes items, until none is left.
    for (const [at, schema] of smaller.entries()) expect(schema.length).toBeLessThan([full, ...smaller][at].length);
    expect(smaller.at(-1)).toEqual([]);
    await migrate(database.dataSource);
    expect(await describeSchema()).toEqual(full);
  });

  /** Lists columns, constraints, indexes and functions, except those of the table `migrations`. */
  async function describeSchema(): Promise<string[]> {
    const rows = await database.dataSource.query<{ item: string }[]>(`
      SELECT concat_ws(' ', 'column', table_name, column_name, data_type, numeric_precision, is_nullable, column_default) AS item
      FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migrations'
      UNION ALL
      SELECT concat_ws(' ', 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'migrations'
      UNION ALL
      SELECT concat_ws(' ', 'index', indexdef) FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'migrations'
      UNION ALL
      SELECT concat_ws(' ', 'function', pg_get_functiondef(oid)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      ORDER BY 1`);
    return rows.map(({ item }) => item);
  }

  it('is created once when two processes migrate at the same time', async () => {
    const other = await connect({ url: database.url, poolSize: 2, applicationName: 'other' });
    const ran = await Promise.all([migrate(database.dataSource), migrate(other)]);
    const all = database.dataSource.migrations.length + readFunctions().length;
    expect(ran.map((names) => names.length).sort()).toEqual([0, all]);
    await other.destroy();
  });

  it('gets an index from a migration without a transaction, while rows are written', async () => {
    const { dataSource } = database;
    await migrate(dataSource);
    dataSource.migrations.push(new IndexConcurrently());
    const writer = dataSource.createQueryRunner();
    await writer.startTransaction();
    await writer.query(INSERT_TREE, ['01']);
    // It waits for this transaction, which goes on writing meanwhile.
    const migrating = migrate(dataSource);
    await eventually('the index is being built', async () => (await findIndexes(dataSource)).length === 1);
    await writer.query(INSERT_TREE, ['02']);
    await dataSource.query(INSERT_TREE, ['03']);
    await writer.commitTransaction();
    await writer.release();
    expect(await migrating).toEqual(['IndexConcurrently9990000000000']);
    expect(await findIndexes(dataSource)).toEqual([{ indisvalid: true }]);
    expect(await migrate(dataSource)).toEqual([]);
  });

  it('is checked by processes that do not create it', async () => {
    const { dataSource } = database;
    await expect(checkSchema(dataSource)).rejects.toThrow(SchemaBehindError);
    await migrate(dataSource);
    await checkSchema(dataSource);
    const last = dataSource.migrations[dataSource.migrations.length - 1].constructor.name;
    await dataSource.undoLastMigration();
    await expect(checkSchema(dataSource)).rejects.toThrow(`the schema lacks ${last}: run the app "migrate" first`);
  });

  describe('whose functions are those of another version', () => {
    const definitionOf = async (name: string) =>
      (
        await database.dataSource.query<{ sql: string }[]>(
          `SELECT pg_get_functiondef(oid) AS sql FROM pg_proc WHERE proname = $1`,
          [name],
        )
      )[0].sql;
    /** Replaces a function as a version with another text of it would. */
    const replace = (name: string) =>
      database.dataSource.query(
        `CREATE OR REPLACE FUNCTION ${name}() RETURNS boolean LANGUAGE sql AS 'SELECT false';
         INSERT INTO schema_functions (name, checksum) VALUES ('${name}', 'another')`,
      );

    it('gets those of this version', async () => {
      await migrate(database.dataSource);
      const before = await definitionOf('can_advance');
      await replace('can_advance');
      expect(await migrate(database.dataSource)).toEqual(['can_advance.sql']);
      expect(await definitionOf('can_advance')).toBe(before);
      expect(await migrate(database.dataSource)).toEqual([]);
    });

    it('is behind if it never had those of this version, and not if it is ahead', async () => {
      const { dataSource } = database;
      await migrate(dataSource);
      await replace('can_advance');
      await checkSchema(dataSource);
      await dataSource.query(
        `UPDATE schema_functions SET checksum = 'another' WHERE name IN ('can_advance', 'key_digest')`,
      );
      await expect(checkSchema(dataSource)).rejects.toThrow(
        'the schema lacks can_advance.sql, key_digest.sql: run the app "migrate" first',
      );
    });

    it('keeps all of them if one cannot be applied', async () => {
      const { dataSource } = database;
      await migrate(dataSource);
      await replace('can_advance');
      // A return type cannot be replaced.
      await dataSource.query(
        `DROP FUNCTION key_digest; CREATE FUNCTION key_digest(key bytea) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'`,
      );
      await dataSource.query(`UPDATE schema_functions SET checksum = 'another' WHERE name = 'key_digest'`);
      await expect(migrate(dataSource)).rejects.toThrow('cannot change return type of existing function');
      expect(await definitionOf('can_advance')).toContain('SELECT false');
    });
  });
});
