import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Trees, accounts and the tables that answer for owners, token owners and mints. */
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
        -- V2 state trees: leaves below this index left the output queue.
        appended_leaves bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_trees PRIMARY KEY (tree)
      )`);

    // A row is the join of what is known so far: created (slot_created), its body (owner), consumed (spent_slot).
    // Each part is written once, whatever order the slots come in.
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
    // An address has at most one unspent account; an old one may come to light after a new one.
    await runner.query(`
      CREATE INDEX idx_accounts_address ON accounts (address, slot_created DESC)
      WHERE address IS NOT NULL AND spent_slot IS NULL`);

    for (const table of ['owner_signatures', 'token_owner_signatures']) {
      // Read backwards from the primary key: newest slot first, then largest signature.
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
    await runner.query(`DROP TABLE token_holders`);
    await runner.query(`DROP TABLE token_owner_signatures`);
    await runner.query(`DROP TABLE owner_signatures`);
    await runner.query(`DROP TABLE accounts`);
    await runner.query(`DROP TABLE trees`);
  }
}
