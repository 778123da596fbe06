import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What the functions of the folder `functions` need. The functions themselves are applied after the migrations. */
export class CreateSchemaFunctions1760000005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The functions that were applied, in this order. The last row of a name is the present function.
    await runner.query(`
      CREATE TABLE schema_functions (
        id bigint GENERATED ALWAYS AS IDENTITY,
        name text NOT NULL,
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_schema_functions PRIMARY KEY (id)
      )`);
    // An account that appears or disappears, with the columns that lists and balances follow from, see account_changes.sql.
    await runner.query(`
      CREATE TYPE account_change AS (
        transaction_id bigint,
        change integer,
        tree_id integer,
        leaf_index bigint,
        hash bytea,
        owner bytea,
        lamports numeric,
        token_owner bytea,
        delegate bytea,
        mint bytea,
        amount numeric,
        onchain_key bytea,
        has_address boolean
      )`);
  }

  /** Drops the functions too. */
  async down(runner: QueryRunner): Promise<void> {
    const functions = (await runner.query(`SELECT DISTINCT name FROM schema_functions`)) as { name: string }[];
    for (const { name } of functions) await runner.query(`DROP FUNCTION IF EXISTS ${name}`);
    await runner.query(`DROP TYPE account_change`);
    await runner.query(`DROP TABLE schema_functions`);
  }
}
