import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Trees, accounts, and the tables that answer questions about owners, token owners and mints. */
export class CreateAccounts1760000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE trees (
        tree bytea NOT NULL,
        queue bytea NOT NULL,
        tree_type smallint NOT NULL,
        height smallint NOT NULL,
        root_history_capacity bigint NOT NULL,
        owner bytea,
        -- V2 state trees: leaves below this index have left the output queue. The maximum of the tree's tree_appends.
        appended_leaves bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_trees PRIMARY KEY (tree)
      )`);
    await runner.query(`
      CREATE TABLE tree_appends (
        slot bigint NOT NULL,
        tree bytea NOT NULL,
        next_leaf_index bigint NOT NULL,
        CONSTRAINT pk_tree_appends PRIMARY KEY (slot, tree)
      )`);
    await runner.query(`CREATE INDEX idx_tree_appends_tree_next_leaf_index ON tree_appends (tree, next_leaf_index)`);

    // A row joins the facts that are known about an account: created (slot_created), its body (owner), consumed
    // (spent_slot). Slots arrive in any order, so each fact may come first, and each is written once.
    await runner.query(`
      CREATE TABLE accounts (
        hash bytea NOT NULL,
        slot_created bigint,
        created_signature bytea,
        tree bytea,
        leaf_index bigint,
        seq numeric(20,0),
        owner bytea,
        lamports numeric(20,0),
        address bytea,
        discriminator bytea,
        data bytea,
        data_hash bytea,
        mint bytea,
        token_owner bytea,
        amount numeric(20,0),
        delegate bytea,
        is_frozen boolean,
        tlv bytea,
        ata_owner bytea,
        spent_slot bigint,
        spent_signature bytea,
        tx_hash bytea,
        nullifier bytea,
        nullifier_queue_index numeric(20,0),
        CONSTRAINT pk_accounts PRIMARY KEY (hash)
      )`);
    // An address has at most one unspent account on the chain. Here an older one can look unspent too, until the slot
    // that
    // consumed it arrives; the newest one counts.
    await runner.query(`
      CREATE INDEX idx_accounts_address ON accounts (address, slot_created DESC)
      WHERE address IS NOT NULL AND spent_slot IS NULL`);

    for (const table of ['owner_signatures', 'token_owner_signatures']) {
      // Queries read the primary key backwards: newest slot first, then largest signature.
      await runner.query(`
        CREATE TABLE ${table} (
          owner bytea NOT NULL,
          slot bigint NOT NULL,
          signature bytea NOT NULL,
          block_time bigint NOT NULL,
          CONSTRAINT pk_${table} PRIMARY KEY (owner, slot, signature)
        )`);
    }

    await runner.query(`
      CREATE TABLE token_holders (
        mint bytea NOT NULL,
        owner bytea NOT NULL,
        balance numeric(39,0) NOT NULL,
        CONSTRAINT pk_token_holders PRIMARY KEY (mint, owner)
      )`);
    await runner.query(`CREATE INDEX idx_token_holders_mint_balance_owner ON token_holders (mint, balance, owner)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'token_holders',
      'token_owner_signatures',
      'owner_signatures',
      'accounts',
      'tree_appends',
      'trees',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
