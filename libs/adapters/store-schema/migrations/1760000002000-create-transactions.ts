import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Transactions that involve compression, dead letters (transactions of which a part could not be parsed), and signatures of all
 * transactions.
 */
export class CreateTransactions1760000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // An id contains the slot and the rank of the signature in the slot, see transaction-id.ts: ids sort like pages of
    // signatures do, and the transactions of a slot are a range of them.
    await runner.query(`
      CREATE TABLE transactions (
        id bigint NOT NULL,
        block_time bigint NOT NULL,
        block_index integer NOT NULL,
        signature bytea NOT NULL,
        -- Hashes of accounts, 32 bytes each, in the order of the events.
        consumed bytea NOT NULL,
        created bytea NOT NULL,
        -- The getTransaction result, digit for digit, compressed by transaction-json.codec.ts.
        json bytea NOT NULL,
        CONSTRAINT pk_transactions PRIMARY KEY (id),
        -- Unique. A hash index needs a quarter of the space of a B-tree with 64 bytes an entry.
        CONSTRAINT uq_transactions_signature EXCLUDE USING hash (signature WITH =)
      )`);
    // The text is compressed already, and pages of signatures do not read it: it is stored beside the table.
    await runner.query(`ALTER TABLE transactions ALTER COLUMN json SET STORAGE EXTERNAL`);
    await runner.query(`ALTER TABLE transactions SET (toast_tuple_target = 128)`);

    await runner.query(`
      CREATE TABLE dead_letters (
        slot bigint NOT NULL,
        block_index integer NOT NULL,
        signature bytea,
        reasons text[] NOT NULL,
        json text NOT NULL,
        stored_at timestamptz NOT NULL DEFAULT now(),
        -- Ingest retries a dead letter at this time. Each retry schedules the next one, so that two ingests share them.
        retry_at timestamptz NOT NULL DEFAULT now(),
        retries integer NOT NULL DEFAULT 0,
        CONSTRAINT pk_dead_letters PRIMARY KEY (slot, block_index)
      )`);
    await runner.query(`CREATE INDEX idx_dead_letters_retry_at ON dead_letters (retry_at)`);
    // One row a block: a row for each transaction would cost more than the accounts of a block of mainnet.
    await runner.query(`
      CREATE TABLE block_signatures (
        slot bigint NOT NULL,
        block_time bigint NOT NULL,
        -- 64 bytes each, descending.
        signatures bytea NOT NULL,
        CONSTRAINT pk_block_signatures PRIMARY KEY (slot)
      )`);
    await runner.query(`ALTER TABLE block_signatures ALTER COLUMN signatures SET STORAGE EXTERNAL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE block_signatures`);
    await runner.query(`DROP TABLE dead_letters`);
    await runner.query(`DROP TABLE transactions`);
  }
}
