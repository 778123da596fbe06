import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Accounts whose leaves migrate from V1 to V2 state trees, see ADR 16. They are rare. */
export class CreateMigratedLeaves1760000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // tree_id is the V2 tree. The rank among the leaves that migrated to it in the slot, and the leaf index that outputs of the
    // slot imply, are facts. The other columns are derived when the slot is indexed: the leaf index in the V2 tree, and the
    // place of the account before, if the account is stored.
    await runner.query(`
      CREATE TABLE migrated_leaves (
        slot bigint NOT NULL,
        tree_id integer NOT NULL,
        place integer NOT NULL,
        hash bytea NOT NULL,
        implied_leaf_index bigint,
        leaf_index bigint,
        v1_tree_id integer,
        v1_leaf_index bigint,
        v1_seq numeric(20,0),
        CONSTRAINT pk_migrated_leaves PRIMARY KEY (slot, tree_id, place)
      )`);
    await runner.query(`CREATE INDEX idx_migrated_leaves_hash ON migrated_leaves USING hash (hash)`);
    // Derived: the end of the output queue after each slot that adds leaves to it. The outputs of a slot state the end. If the
    // slot has none, it follows from the row before, and from the number of leaves that migrated.
    await runner.query(`
      CREATE TABLE output_queue_ends (
        tree_id integer NOT NULL,
        slot bigint NOT NULL,
        next_leaf_index bigint NOT NULL,
        -- 0 if the outputs of the slot state the end.
        counted_leaves bigint NOT NULL,
        CONSTRAINT pk_output_queue_ends PRIMARY KEY (tree_id, slot)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['output_queue_ends', 'migrated_leaves']) await runner.query(`DROP TABLE ${table}`);
  }
}
