import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Transactions that involve compression, dead letters (transactions of which a part could not be parsed), and signatures of all transactions. */
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
    // Not SQL, which the planner would inline: it would then assume a thousand hashes.
    await runner.query(`
      CREATE FUNCTION list_hashes(list bytea) RETURNS TABLE (hash bytea, place integer)
      LANGUAGE plpgsql IMMUTABLE ROWS 4 AS $$
      BEGIN
        FOR i IN 0 .. length(list) / 32 - 1 LOOP
          hash := substr(list, 32 * i + 1, 32);
          place := i;
          RETURN NEXT;
        END LOOP;
      END
      $$`);
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
    await this.createBlockSignatures(runner);
  }

  /** One row a block: a row for each transaction would cost more than the accounts of a block of mainnet. */
  private async createBlockSignatures(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE block_signatures (
        slot bigint NOT NULL,
        block_time bigint NOT NULL,
        -- 64 bytes each, descending.
        signatures bytea NOT NULL,
        CONSTRAINT pk_block_signatures PRIMARY KEY (slot)
      )`);
    await runner.query(`ALTER TABLE block_signatures ALTER COLUMN signatures SET STORAGE EXTERNAL`);
    // Keeps the newest blocks that have a number of signatures together, and all that a fork may orphan. Blocks before one
    // whose signatures are not recorded are deleted: the list of the newest signatures has no holes. Only the writer that has
    // locked the row of indexer_state calls it.
    await runner.query(`
      CREATE FUNCTION prune_block_signatures(indexed bigint, kept_signatures integer) RETURNS void
      LANGUAGE plpgsql AS $$
      DECLARE
        oldest bigint;
        hole bigint;
      BEGIN
        SELECT min(listed.slot) INTO oldest FROM (
          SELECT r.slot, sum(octet_length(r.signatures)) OVER (ORDER BY r.slot DESC) - octet_length(r.signatures) AS newer
          FROM block_signatures r WHERE r.slot <= indexed
        ) listed WHERE listed.newer < 64 * kept_signatures;
        SELECT max(b.slot) INTO hole FROM blocks b
        WHERE b.slot <= indexed AND NOT EXISTS (SELECT FROM block_signatures r WHERE r.slot = b.slot);
        DELETE FROM block_signatures r WHERE r.slot < greatest(least(oldest, indexed - 64), hole);
        -- Rows without signatures state that the block has none.
        DELETE FROM block_signatures r
        WHERE r.slot < (SELECT min(slot) FROM blocks) AND octet_length(r.signatures) = 0;
      END
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION prune_block_signatures`);
    await runner.query(`DROP TABLE block_signatures`);
    await runner.query(`DROP TABLE dead_letters`);
    await runner.query(`DROP FUNCTION list_hashes`);
    await runner.query(`DROP TABLE transactions`);
  }
}
