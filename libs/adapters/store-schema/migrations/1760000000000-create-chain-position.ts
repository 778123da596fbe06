import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Blocks, how far the index is, and where consumers stand. */
export class CreateChainPosition1760000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE blocks (
        slot bigint NOT NULL,
        parent_slot bigint NOT NULL,
        blockhash bytea NOT NULL,
        parent_blockhash bytea NOT NULL,
        block_time bigint NOT NULL,
        block_height bigint,
        CONSTRAINT pk_blocks PRIMARY KEY (slot)
      )`);
    // The indexed slot moves on by asking which block has the present one as its parent.
    await runner.query(`CREATE INDEX idx_blocks_parent_slot ON blocks (parent_slot)`);

    // One row. The indexed slot is the tip of the unbroken, parent-linked chain of blocks that begins at first_slot.
    await runner.query(`
      CREATE TABLE indexer_state (
        id smallint NOT NULL DEFAULT 1,
        genesis_hash text,
        first_slot bigint,
        indexed_slot bigint,
        chain_tip bigint,
        chain_tip_seen_at timestamptz,
        CONSTRAINT pk_indexer_state PRIMARY KEY (id),
        CONSTRAINT one_row CHECK (id = 1)
      )`);
    await runner.query(`INSERT INTO indexer_state DEFAULT VALUES`);

    // Moved in the transaction of the data, by compare-and-set. Who takes a partition over raises its epoch.
    await runner.query(`
      CREATE TABLE positions (
        consumer_group text NOT NULL,
        topic text NOT NULL,
        partition integer NOT NULL,
        epoch bigint NOT NULL,
        next_offset bigint,
        CONSTRAINT pk_positions PRIMARY KEY (consumer_group, topic, partition)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE positions`);
    await runner.query(`DROP TABLE indexer_state`);
    await runner.query(`DROP TABLE blocks`);
  }
}
