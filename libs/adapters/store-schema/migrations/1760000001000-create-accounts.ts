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
        CONSTRAINT pk_trees PRIMARY KEY (tree)
      )`);
    // V2 state trees: since this slot, leaves below the index have left the output queue.
    await runner.query(`
      CREATE TABLE tree_appends (
        tree bytea NOT NULL,
        slot bigint NOT NULL,
        next_leaf_index bigint NOT NULL,
        CONSTRAINT pk_tree_appends PRIMARY KEY (tree, slot)
      )`);
    // A revert finds the appends of a slot.
    await runner.query(`CREATE INDEX idx_tree_appends_slot ON tree_appends (slot)`);

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
    // An address has at most one unspent account, and it is among those of the newest slot. No index contains a column that
    // a spend changes, so that a spend rewrites no index.
    await runner.query(`
      CREATE INDEX idx_accounts_address ON accounts (address, slot_created DESC) WHERE address IS NOT NULL`);

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

    // The balances as of the indexed slot.
    await runner.query(`
      CREATE TABLE token_holders (
        mint bytea NOT NULL,
        owner bytea NOT NULL,
        balance numeric(39,0) NOT NULL,
        CONSTRAINT pk_token_holders PRIMARY KEY (mint, owner)
      )`);
    await runner.query(`CREATE INDEX idx_token_holders_mint_balance_owner ON token_holders (mint, balance, owner)`);
    // What the accounts of a slot add to balances: applied when the indexed slot passes the slot, and kept for the newest
    // blocks, whose slots may be reverted.
    await runner.query(`
      CREATE TABLE holder_changes (
        slot bigint NOT NULL,
        hash bytea NOT NULL,
        is_spend boolean NOT NULL,
        mint bytea NOT NULL,
        owner bytea NOT NULL,
        amount numeric(21,0) NOT NULL,
        CONSTRAINT pk_holder_changes PRIMARY KEY (slot, hash, is_spend)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'holder_changes',
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
