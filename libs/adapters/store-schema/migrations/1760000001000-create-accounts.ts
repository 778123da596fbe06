import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Trees and accounts, which are facts, and the tables that follow from the facts of the indexed slots: they answer questions
 * about owners, token owners and mints.
 */
export class CreateAccounts1760000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE trees (
        id integer GENERATED ALWAYS AS IDENTITY,
        tree bytea NOT NULL,
        queue bytea NOT NULL,
        tree_type smallint NOT NULL,
        height smallint NOT NULL,
        root_history_capacity bigint NOT NULL,
        owner bytea,
        CONSTRAINT pk_trees PRIMARY KEY (id),
        CONSTRAINT uq_trees_tree UNIQUE (tree)
      )`);
    // V2 state trees: since this slot, leaves below the index have left the output queue.
    await runner.query(`
      CREATE TABLE tree_appends (
        tree_id integer NOT NULL,
        slot bigint NOT NULL,
        next_leaf_index bigint NOT NULL,
        CONSTRAINT pk_tree_appends PRIMARY KEY (tree_id, slot)
      )`);
    // A revert finds the appends of a slot.
    await runner.query(`CREATE INDEX idx_tree_appends_slot ON tree_appends (slot)`);

    // Slots arrive in any order, so the spend of an account may be stored before the account. Rows of both tables are written
    // once and never updated, so that writers do not wait for each other.
    await runner.query(`
      CREATE TABLE accounts (
        hash bytea NOT NULL,
        created_by bigint NOT NULL,
        leaf_index bigint NOT NULL,
        tree_id integer NOT NULL,
        is_frozen boolean,
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
        tlv bytea,
        ata_owner bytea,
        onchain_pubkey bytea,
        -- Unique. A hash index needs less than half of the space of a B-tree.
        CONSTRAINT uq_accounts_hash EXCLUDE USING hash (hash WITH =)
      )`);
    // An address has at most one unspent account, and it is among those of the newest slot.
    await runner.query(`
      CREATE INDEX idx_accounts_address ON accounts (address, created_by DESC) WHERE address IS NOT NULL`);
    await runner.query(`
      CREATE TABLE spends (
        hash bytea NOT NULL,
        spent_by bigint NOT NULL,
        tx_hash bytea,
        nullifier bytea,
        nullifier_queue_index numeric(20,0),
        CONSTRAINT uq_spends_hash EXCLUDE USING hash (hash WITH =)
      )`);

    // Lists of a key's rows store a digest of the key (key_digest), which needs less than half of the space.
    for (const table of ['owner_signatures', 'token_owner_signatures']) {
      // Queries read the primary key backwards: newest slot first, then largest signature.
      await runner.query(`
        CREATE TABLE ${table} (
          owner_digest uuid NOT NULL,
          transaction_id bigint NOT NULL,
          CONSTRAINT pk_${table} PRIMARY KEY (owner_digest, transaction_id)
        )`);
    }
    await runner.query(`
      CREATE TABLE token_holders (
        mint bytea NOT NULL,
        owner bytea NOT NULL,
        balance numeric(39,0) NOT NULL,
        CONSTRAINT pk_token_holders PRIMARY KEY (owner, mint)
      )`);
    await runner.query(`CREATE INDEX idx_token_holders_mint_balance_owner ON token_holders (mint, balance, owner)`);

    // Lists of accounts. A row per unspent account; all else about it is in accounts.
    await runner.query(`
      CREATE TABLE unspent_accounts (
        owner_digest uuid NOT NULL,
        token_owner_digest uuid,
        delegate_digest uuid,
        -- Of onchain_pubkey, or of the ata_owner of a token account.
        onchain_digest uuid,
        leaf_index bigint NOT NULL,
        hash bytea NOT NULL,
        mint bytea
      )`);
    // Accounts of several trees can have the same leaf index: these few are sorted by hash when they are read.
    await runner.query(`CREATE INDEX idx_unspent_accounts_owner ON unspent_accounts (owner_digest, leaf_index)`);
    for (const key of ['token_owner', 'delegate']) {
      await runner.query(`
        CREATE INDEX idx_unspent_accounts_${key} ON unspent_accounts (${key}_digest, mint, hash)
        WHERE ${key}_digest IS NOT NULL`);
    }
    await runner.query(`
      CREATE INDEX idx_unspent_accounts_onchain ON unspent_accounts (onchain_digest) WHERE onchain_digest IS NOT NULL`);
    // Programs whose accounts have addresses and data, since the first indexed slot: few. A revert leaves them.
    await runner.query(`
      CREATE TABLE address_programs (
        program bytea NOT NULL,
        CONSTRAINT pk_address_programs PRIMARY KEY (program)
      )`);
    await runner.query(`
      CREATE TABLE owner_lamports (
        owner_digest uuid NOT NULL,
        lamports numeric(39,0) NOT NULL,
        CONSTRAINT pk_owner_lamports PRIMARY KEY (owner_digest)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'owner_lamports',
      'address_programs',
      'unspent_accounts',
      'token_holders',
      'token_owner_signatures',
      'owner_signatures',
      'spends',
      'accounts',
      'tree_appends',
      'trees',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
