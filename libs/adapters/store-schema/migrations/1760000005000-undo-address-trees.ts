import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What it takes to bring address trees back to before a block that the chain has left. */
export class UndoAddressTrees1760000005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE address_trees
        ADD COLUMN changed_times bigint,
        ADD COLUMN changed_slot bigint,
        ADD COLUMN doubted_from bigint,
        ADD COLUMN doubted_to bigint`);
    // Nobody noted how to take back what was done before: up to the slot reached, that is told as too far back.
    await runner.query(`
      UPDATE address_trees SET changed_times = 1, changed_slot = (SELECT coalesce(slot, 0) FROM address_tree_state)`);
    await runner.query(`
      ALTER TABLE address_trees
        ALTER COLUMN changed_times SET NOT NULL,
        ALTER COLUMN changed_slot SET NOT NULL`);

    // The newest changes of a tree, numbered since it began; the layout is that of undo.codec.ts.
    await runner.query(`
      CREATE TABLE address_tree_undo (
        tree bytea NOT NULL,
        number bigint NOT NULL,
        record bytea NOT NULL,
        CONSTRAINT pk_address_tree_undo PRIMARY KEY (tree, number)
      )`);

    // Blocks that the records of a partition were about lately, those that the chain has left among them.
    await runner.query(`
      CREATE TABLE address_tree_blocks (
        partition integer NOT NULL,
        blocks bytea NOT NULL,
        CONSTRAINT pk_address_tree_blocks PRIMARY KEY (partition)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE address_tree_blocks`);
    await runner.query(`DROP TABLE address_tree_undo`);
    await runner.query(`
      ALTER TABLE address_trees
        DROP COLUMN changed_times,
        DROP COLUMN changed_slot,
        DROP COLUMN doubted_from,
        DROP COLUMN doubted_to`);
  }
}
