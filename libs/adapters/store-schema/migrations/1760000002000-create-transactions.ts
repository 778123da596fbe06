import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Transactions that involve compression, and dead letters: transactions of which a part could not be parsed. */
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
    // A revert finds the accounts of a slot by its transactions.
    await runner.query(`CREATE INDEX idx_transactions_slot ON transactions (slot)`);

    await runner.query(`
      CREATE TABLE dead_letters (
        slot bigint NOT NULL,
        block_index integer NOT NULL,
        signature bytea,
        reasons text[] NOT NULL,
        json text NOT NULL,
        stored_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_dead_letters PRIMARY KEY (slot, block_index)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dead_letters`);
    await runner.query(`DROP TABLE transactions`);
  }
}
