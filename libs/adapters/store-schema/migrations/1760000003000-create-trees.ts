import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Columns of the heads of trees. `entry` is the commit that changed the tree last; slot and blockhash are those of the commit. */
const HEAD_COLUMNS = `
  tree bytea NOT NULL,
  queue bytea NOT NULL,
  tree_type smallint NOT NULL,
  height smallint NOT NULL,
  root_history_capacity bigint NOT NULL,
  owner bytea,
  observed_slot bigint NOT NULL,
  observed_seq numeric(20,0) NOT NULL,
  observed_next_index numeric(20,0) NOT NULL,
  observed_queue_end numeric(20,0) NOT NULL,
  observed_root bytea,
  seq numeric(20,0) NOT NULL,
  next_index bigint NOT NULL,
  root bytea NOT NULL,
  queue_end numeric(20,0) NOT NULL,
  seen_seq numeric(20,0) NOT NULL,
  seen_queue_end numeric(20,0) NOT NULL,
  quarantine_reason text,
  change_count bigint NOT NULL,
  last_changed_slot bigint NOT NULL,
  untrusted_from bigint,
  untrusted_to bigint,
  entry uuid NOT NULL,
  slot bigint,
  blockhash bytea`;

/** The journal of the tree stores: trees with everything from which a store is loaded. */
export class CreateTrees1760000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE address_trees (
        ${HEAD_COLUMNS},
        CONSTRAINT pk_address_trees PRIMARY KEY (tree)
      )`);
    await runner.query(`
      CREATE TABLE address_tree_elements (
        tree bytea NOT NULL,
        leaf_index bigint NOT NULL,
        value bytea NOT NULL,
        next_index bigint NOT NULL,
        next_value bytea NOT NULL,
        CONSTRAINT pk_address_tree_elements PRIMARY KEY (tree, leaf_index),
        CONSTRAINT address_tree_elements_sizes CHECK (octet_length(value) = 32 AND octet_length(next_value) = 32)
      )`);
    await createPages(runner, 'address_tree_pages');
    await runner.query(`
      CREATE TABLE address_tree_queue (
        tree bytea NOT NULL,
        queue_index numeric(20,0) NOT NULL,
        address bytea NOT NULL,
        CONSTRAINT pk_address_tree_queue PRIMARY KEY (tree, queue_index)
      )`);
    // Before-images of the newest changes of a tree, numbered by change_count; the layout is that of undo.codec.ts. The last one
    // of a commit names its entry: the tree was at this entry after this change.
    await runner.query(`
      CREATE TABLE address_tree_undo (
        tree bytea NOT NULL,
        number bigint NOT NULL,
        record bytea NOT NULL,
        entry uuid,
        CONSTRAINT pk_address_tree_undo PRIMARY KEY (tree, number)
      )`);
    // The state of a partition of tree-updates: its newest commit, the block up to which its trees are applied, and its recent
    // blocks, orphaned ones included; their layout is that of undo.codec.ts. `branch` has those that the trees follow, oldest first:
    // slot (8, big-endian) and blockhash (32). The offset is in `positions`.
    await runner.query(`
      CREATE TABLE tree_partitions (
        topic text NOT NULL,
        partition integer NOT NULL,
        entry uuid NOT NULL,
        slot bigint,
        blockhash bytea,
        blocks bytea NOT NULL,
        branch bytea[] NOT NULL,
        has_refused boolean NOT NULL,
        CONSTRAINT pk_tree_partitions PRIMARY KEY (topic, partition)
      )`);
    // The log that the trees are computed from: one row, or none before the first commit. Commits of another log are refused.
    await runner.query(`
      CREATE TABLE tree_log (
        is_only boolean NOT NULL DEFAULT true,
        topic text NOT NULL,
        generation integer NOT NULL,
        CONSTRAINT pk_tree_log PRIMARY KEY (is_only),
        CONSTRAINT tree_log_is_only CHECK (is_only)
      )`);
    // Trees of which operations are missing. Ingest publishes their operations from a slot on again.
    await runner.query(`
      CREATE TABLE tree_republications (
        id bigint GENERATED ALWAYS AS IDENTITY,
        tree bytea NOT NULL,
        from_slot bigint NOT NULL,
        CONSTRAINT pk_tree_republications PRIMARY KEY (id)
      )`);
    await createStateTrees(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['undo', 'queue', 'pages']) await runner.query(`DROP TABLE state_tree_${table}`);
    await runner.query(`DROP TABLE state_trees`);
    for (const table of ['republications', 'log', 'partitions']) await runner.query(`DROP TABLE tree_${table}`);
    for (const table of ['undo', 'queue', 'pages', 'elements']) await runner.query(`DROP TABLE address_tree_${table}`);
    await runner.query(`DROP TABLE address_trees`);
  }
}

/**
 * Four levels of nodes in a row; the layout is that of NodePages. With a digest of the tree (`key_digest`) instead of its key, eight
 * rows fit into a block of Postgres, with the key seven. No row is large enough to be compressed or moved out of its block.
 */
async function createPages(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`
    CREATE TABLE ${table} (
      tree_digest uuid NOT NULL,
      page bigint NOT NULL,
      nodes bytea NOT NULL,
      CONSTRAINT pk_${table} PRIMARY KEY (tree_digest, page),
      CONSTRAINT ${table}_size CHECK (octet_length(nodes) = 960)
    )`);
}

/** State trees have no table of leaves: a leaf is the lowest node of a page. Partitions and republications are shared. */
async function createStateTrees(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE state_trees (
      ${HEAD_COLUMNS},
      observed_input_queue_end numeric(20,0) NOT NULL,
      input_queue_start numeric(20,0) NOT NULL,
      input_queue_end numeric(20,0) NOT NULL,
      migrated_slot bigint NOT NULL,
      seen_input_queue_end numeric(20,0) NOT NULL,
      seen_migrated_slot bigint NOT NULL,
      CONSTRAINT pk_state_trees PRIMARY KEY (tree)
    )`);
  await createPages(runner, 'state_tree_pages');
  // Queue types are those of the chain: 3 consumed accounts (input queue), 5 accounts (output queue). `hash` is the account's.
  await runner.query(`
    CREATE TABLE state_tree_queue (
      tree bytea NOT NULL,
      queue_type smallint NOT NULL,
      position numeric(20,0) NOT NULL,
      hash bytea NOT NULL,
      leaf_index bigint,
      tx_hash bytea,
      nullifier bytea,
      CONSTRAINT pk_state_tree_queue PRIMARY KEY (tree, queue_type, position),
      CONSTRAINT state_tree_queue_input CHECK (
        (queue_type = 3) = (leaf_index IS NOT NULL)
        AND (queue_type = 3) = (tx_hash IS NOT NULL)
        AND (queue_type = 3) = (nullifier IS NOT NULL))
    )`);
  await runner.query(`
    CREATE TABLE state_tree_undo (
      tree bytea NOT NULL,
      number bigint NOT NULL,
      record bytea NOT NULL,
      entry uuid,
      CONSTRAINT pk_state_tree_undo PRIMARY KEY (tree, number)
    )`);
}
