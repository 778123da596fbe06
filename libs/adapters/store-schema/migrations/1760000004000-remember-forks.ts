import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What it takes to take a slot back: how to find what came of it, and which blocks were taken back. */
export class RememberForks1760000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The accounts of a slot are those of its transactions.
    await runner.query(`CREATE INDEX idx_transactions_slot ON transactions (slot)`);

    // Blocks that the chain left. A message about one may still be on its way.
    await runner.query(`
      CREATE TABLE abandoned_blocks (
        slot bigint NOT NULL,
        blockhash bytea NOT NULL,
        abandoned_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_abandoned_blocks PRIMARY KEY (slot, blockhash)
      )`);

    // The facts behind trees.appended_leaves, which is their maximum.
    await runner.query(`
      CREATE TABLE tree_appends (
        slot bigint NOT NULL,
        tree bytea NOT NULL,
        next_leaf_index bigint NOT NULL,
        CONSTRAINT pk_tree_appends PRIMARY KEY (slot, tree)
      )`);
    await runner.query(`CREATE INDEX idx_tree_appends_tree_next_leaf_index ON tree_appends (tree, next_leaf_index)`);
    // Which slots the present maxima came from is not known: they count as older than any slot that is taken back.
    await runner.query(`
      INSERT INTO tree_appends (slot, tree, next_leaf_index)
      SELECT 0, tree, appended_leaves FROM trees WHERE appended_leaves > 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE tree_appends`);
    await runner.query(`DROP TABLE abandoned_blocks`);
    await runner.query(`DROP INDEX idx_transactions_slot`);
  }
}
