import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Blocks, the indexed slot and the positions of consumers. */
export class CreateChainState1760000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The newest blocks. Older ones are deleted once the indexed slot has passed them.
    await runner.query(`
      CREATE TABLE blocks (
        slot bigint NOT NULL,
        parent_slot bigint NOT NULL,
        blockhash bytea NOT NULL,
        parent_blockhash bytea NOT NULL,
        block_time bigint NOT NULL,
        block_height bigint,
        changes_trees boolean NOT NULL,
        CONSTRAINT pk_blocks PRIMARY KEY (slot)
      )`);
    // The indexed slot advances to the only child of the present block.
    await runner.query(`CREATE INDEX idx_blocks_parent_slot ON blocks (parent_slot)`);

    // The newest block that changes a tree: proofs must not be older.
    await runner.query(`CREATE INDEX idx_blocks_changes_trees ON blocks (slot) WHERE changes_trees`);

    // Blocks that were reverted, and blocks that arrived after the revert of their parent, which is named. Messages about them
    // that arrive later are ignored.
    await runner.query(`
      CREATE TABLE orphaned_blocks (
        slot bigint NOT NULL,
        blockhash bytea NOT NULL,
        parent_slot bigint,
        parent_blockhash bytea,
        orphaned_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_orphaned_blocks PRIMARY KEY (slot, blockhash)
      )`);

    // One row. The indexed slot is the tip of the unbroken, parent-linked chain of blocks that begins at first_slot. All blocks
    // at or below it are on that chain. Below the anchor, if there is one, it is the end of the unbroken attested ranges.
    await runner.query(`
      CREATE TABLE indexer_state (
        id smallint NOT NULL DEFAULT 1,
        genesis_hash text,
        first_slot bigint,
        indexed_slot bigint,
        anchor_slot bigint,
        anchor_blockhash bytea,
        history_checked boolean NOT NULL DEFAULT false,
        history_problem text,
        -- Tells this index from one that is built anew, or beside it.
        index_id uuid NOT NULL DEFAULT gen_random_uuid(),
        -- Grows with each change of what is at or below the indexed slot: see revisions.
        revision bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_indexer_state PRIMARY KEY (id),
        CONSTRAINT indexer_state_one_row CHECK (id = 1)
      )`);
    await runner.query(`INSERT INTO indexer_state DEFAULT VALUES`);
    // What each revision has changed. A revert names the new indexed slot. An amendment lists the transactions that it added or
    // changed: slot · 65,536 + index in the block. The oldest row stands for all before it, which are deleted.
    await runner.query(`
      CREATE TABLE revisions (
        revision bigint NOT NULL,
        reverted_to bigint,
        amended bigint[],
        CONSTRAINT pk_revisions PRIMARY KEY (revision),
        CONSTRAINT revisions_one_change CHECK ((reverted_to IS NULL) <> (amended IS NULL))
      )`);
    // The ranges of slots of which history sources have given all transactions of interest. Two sources may attest the same slots.
    await runner.query(`
      CREATE TABLE attested_ranges (
        from_slot bigint NOT NULL,
        to_slot bigint NOT NULL,
        source text NOT NULL,
        transactions bigint NOT NULL,
        CONSTRAINT pk_attested_ranges PRIMARY KEY (to_slot, source)
      )`);
    // What attested history lacks, as a comparison with the chain has found. Proofs of these trees are refused, and those of all trees
    // before the first comparison (history_checked).
    await runner.query(`
      CREATE TABLE history_findings (
        tree bytea NOT NULL,
        reason text NOT NULL,
        first_seq numeric(20,0),
        last_seq numeric(20,0),
        from_slot bigint NOT NULL,
        to_slot bigint NOT NULL,
        CONSTRAINT pk_history_findings PRIMARY KEY (tree, reason)
      )`);
    // One row: the newest slot that the source reported. It is not in indexer_state, whose row is locked while the indexed
    // slot advances.
    await runner.query(`
      CREATE TABLE chain_tip (
        id smallint NOT NULL DEFAULT 1,
        slot bigint,
        seen_at timestamptz,
        CONSTRAINT pk_chain_tip PRIMARY KEY (id),
        CONSTRAINT chain_tip_one_row CHECK (id = 1)
      )`);
    await runner.query(`INSERT INTO chain_tip DEFAULT VALUES`);
    // Without statistics the planner assumes a thousand rows, and then reads whole tables for each of them.
    await runner.query(`ANALYZE indexer_state, chain_tip`);

    // A position moves by compare-and-set, in the transaction of the data. A consumer that claims a partition increments the epoch,
    // which fences the consumer before it. The topic has the name that it has in the cluster, with KAFKA_PREFIX. The slot is the
    // newest one that was applied.
    await runner.query(`
      CREATE TABLE positions (
        consumer_group text NOT NULL,
        topic text NOT NULL,
        partition integer NOT NULL,
        epoch bigint NOT NULL,
        next_offset bigint,
        slot bigint,
        CONSTRAINT pk_positions PRIMARY KEY (consumer_group, topic, partition)
      )`);

    // Each reset of the positions in a topic starts a new generation of its log. Topics without a row have the first one.
    await runner.query(`
      CREATE TABLE log_generations (
        topic text NOT NULL,
        generation bigint NOT NULL,
        CONSTRAINT pk_log_generations PRIMARY KEY (topic)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'log_generations',
      'positions',
      'chain_tip',
      'history_findings',
      'attested_ranges',
      'revisions',
      'indexer_state',
      'orphaned_blocks',
      'blocks',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
