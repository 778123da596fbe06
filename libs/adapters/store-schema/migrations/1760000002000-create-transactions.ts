import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Transactions that involve compression, and those that could not be read in whole. */
export class CreateTransactions1760000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE transactions (
        signature bytea NOT NULL,
        slot bigint NOT NULL,
        block_index integer NOT NULL,
        -- The getTransaction result, digit for digit: jsonb would reorder and rewrite it.
        json text NOT NULL,
        consumed bytea[] NOT NULL,
        created bytea[] NOT NULL,
        CONSTRAINT pk_transactions PRIMARY KEY (signature)
      )`);
    await runner.query(`
      CREATE TABLE parked_transactions (
        slot bigint NOT NULL,
        block_index integer NOT NULL,
        signature bytea,
        reasons text[] NOT NULL,
        json text NOT NULL,
        parked_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_parked_transactions PRIMARY KEY (slot, block_index)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE parked_transactions`);
    await runner.query(`DROP TABLE transactions`);
  }
}
