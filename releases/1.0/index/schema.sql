-- What "migrate" runs in an empty database. Written by "npm run release:freeze". Do not edit.
SET check_function_bodies = off;
CREATE TABLE "migrations" ("id" SERIAL NOT NULL, "timestamp" bigint NOT NULL, "name" character varying NOT NULL, CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY ("id"));
CREATE TABLE blocks (
        slot bigint NOT NULL,
        parent_slot bigint NOT NULL,
        blockhash bytea NOT NULL,
        parent_blockhash bytea NOT NULL,
        block_time bigint NOT NULL,
        block_height bigint,
        changes_trees boolean NOT NULL,
        CONSTRAINT pk_blocks PRIMARY KEY (slot)
      );
CREATE INDEX idx_blocks_parent_slot ON blocks (parent_slot);
CREATE INDEX idx_blocks_changes_trees ON blocks (slot) WHERE changes_trees;
CREATE TABLE orphaned_blocks (
        slot bigint NOT NULL,
        blockhash bytea NOT NULL,
        parent_slot bigint,
        parent_blockhash bytea,
        orphaned_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_orphaned_blocks PRIMARY KEY (slot, blockhash)
      );
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
      );
CREATE TABLE revisions (
        revision bigint NOT NULL,
        reverted_to bigint,
        amended bigint[],
        CONSTRAINT pk_revisions PRIMARY KEY (revision),
        CONSTRAINT revisions_one_change CHECK ((reverted_to IS NULL) <> (amended IS NULL))
      );
CREATE TABLE attested_ranges (
        from_slot bigint NOT NULL,
        to_slot bigint NOT NULL,
        source text NOT NULL,
        transactions bigint NOT NULL,
        CONSTRAINT pk_attested_ranges PRIMARY KEY (to_slot, source)
      );
CREATE TABLE history_findings (
        tree bytea NOT NULL,
        reason text NOT NULL,
        first_seq numeric(20,0),
        last_seq numeric(20,0),
        from_slot bigint NOT NULL,
        to_slot bigint NOT NULL,
        CONSTRAINT pk_history_findings PRIMARY KEY (tree, reason)
      );
CREATE TABLE chain_tip (
        id smallint NOT NULL DEFAULT 1,
        slot bigint,
        seen_at timestamptz,
        CONSTRAINT pk_chain_tip PRIMARY KEY (id),
        CONSTRAINT chain_tip_one_row CHECK (id = 1)
      );
ANALYZE indexer_state, chain_tip;
CREATE TABLE positions (
        consumer_group text NOT NULL,
        topic text NOT NULL,
        partition integer NOT NULL,
        epoch bigint NOT NULL,
        next_offset bigint,
        slot bigint,
        CONSTRAINT pk_positions PRIMARY KEY (consumer_group, topic, partition)
      );
CREATE TABLE log_generations (
        topic text NOT NULL,
        generation bigint NOT NULL,
        CONSTRAINT pk_log_generations PRIMARY KEY (topic)
      );
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
      );
CREATE TABLE tree_appends (
        tree_id integer NOT NULL,
        slot bigint NOT NULL,
        next_leaf_index bigint NOT NULL,
        CONSTRAINT pk_tree_appends PRIMARY KEY (tree_id, slot)
      );
CREATE INDEX idx_tree_appends_slot ON tree_appends (slot);
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
      );
CREATE INDEX idx_accounts_address ON accounts (address, created_by DESC) WHERE address IS NOT NULL;
CREATE TABLE spends (
        hash bytea NOT NULL,
        spent_by bigint NOT NULL,
        tx_hash bytea,
        nullifier bytea,
        nullifier_queue_index numeric(20,0),
        CONSTRAINT uq_spends_hash EXCLUDE USING hash (hash WITH =)
      );
CREATE TABLE owner_signatures (
          owner_digest uuid NOT NULL,
          transaction_id bigint NOT NULL,
          CONSTRAINT pk_owner_signatures PRIMARY KEY (owner_digest, transaction_id)
        );
CREATE TABLE token_owner_signatures (
          owner_digest uuid NOT NULL,
          transaction_id bigint NOT NULL,
          CONSTRAINT pk_token_owner_signatures PRIMARY KEY (owner_digest, transaction_id)
        );
CREATE TABLE token_holders (
        mint bytea NOT NULL,
        owner bytea NOT NULL,
        balance numeric(39,0) NOT NULL,
        CONSTRAINT pk_token_holders PRIMARY KEY (owner, mint)
      );
CREATE INDEX idx_token_holders_mint_balance_owner ON token_holders (mint, balance, owner);
CREATE TABLE unspent_accounts (
        owner_digest uuid NOT NULL,
        token_owner_digest uuid,
        delegate_digest uuid,
        -- Of onchain_pubkey, or of the ata_owner of a token account.
        onchain_digest uuid,
        leaf_index bigint NOT NULL,
        hash bytea NOT NULL,
        mint bytea
      );
CREATE INDEX idx_unspent_accounts_owner ON unspent_accounts (owner_digest, leaf_index);
CREATE INDEX idx_unspent_accounts_token_owner ON unspent_accounts (token_owner_digest, mint, hash)
        WHERE token_owner_digest IS NOT NULL;
CREATE INDEX idx_unspent_accounts_delegate ON unspent_accounts (delegate_digest, mint, hash)
        WHERE delegate_digest IS NOT NULL;
CREATE INDEX idx_unspent_accounts_onchain ON unspent_accounts (onchain_digest) WHERE onchain_digest IS NOT NULL;
CREATE TABLE address_programs (
        program bytea NOT NULL,
        CONSTRAINT pk_address_programs PRIMARY KEY (program)
      );
CREATE TABLE owner_lamports (
        owner_digest uuid NOT NULL,
        lamports numeric(39,0) NOT NULL,
        CONSTRAINT pk_owner_lamports PRIMARY KEY (owner_digest)
      );
CREATE TABLE transactions (
        id bigint NOT NULL,
        block_time bigint NOT NULL,
        block_index integer NOT NULL,
        signature bytea NOT NULL,
        -- Hashes of accounts, 32 bytes each, in the order of the events.
        consumed bytea NOT NULL,
        created bytea NOT NULL,
        -- The getTransaction result, digit for digit, compressed by transaction-json.codec.ts.
        json bytea NOT NULL,
        CONSTRAINT pk_transactions PRIMARY KEY (id),
        -- Unique. A hash index needs a quarter of the space of a B-tree with 64 bytes an entry.
        CONSTRAINT uq_transactions_signature EXCLUDE USING hash (signature WITH =)
      );
ALTER TABLE transactions ALTER COLUMN json SET STORAGE EXTERNAL;
ALTER TABLE transactions SET (toast_tuple_target = 128);
CREATE TABLE dead_letters (
        slot bigint NOT NULL,
        block_index integer NOT NULL,
        signature bytea,
        reasons text[] NOT NULL,
        json text NOT NULL,
        stored_at timestamptz NOT NULL DEFAULT now(),
        -- Ingest retries a dead letter at this time. Each retry schedules the next one, so that two ingests share them.
        retry_at timestamptz NOT NULL DEFAULT now(),
        retries integer NOT NULL DEFAULT 0,
        CONSTRAINT pk_dead_letters PRIMARY KEY (slot, block_index)
      );
CREATE INDEX idx_dead_letters_retry_at ON dead_letters (retry_at);
CREATE TABLE block_signatures (
        slot bigint NOT NULL,
        block_time bigint NOT NULL,
        -- 64 bytes each, descending.
        signatures bytea NOT NULL,
        CONSTRAINT pk_block_signatures PRIMARY KEY (slot)
      );
ALTER TABLE block_signatures ALTER COLUMN signatures SET STORAGE EXTERNAL;
CREATE TABLE address_trees (
        
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
  blockhash bytea,
        CONSTRAINT pk_address_trees PRIMARY KEY (tree)
      );
CREATE TABLE address_tree_elements (
        tree bytea NOT NULL,
        leaf_index bigint NOT NULL,
        value bytea NOT NULL,
        next_index bigint NOT NULL,
        next_value bytea NOT NULL,
        CONSTRAINT pk_address_tree_elements PRIMARY KEY (tree, leaf_index),
        CONSTRAINT address_tree_elements_sizes CHECK (octet_length(value) = 32 AND octet_length(next_value) = 32)
      );
CREATE TABLE address_tree_pages (
      tree_digest uuid NOT NULL,
      page bigint NOT NULL,
      nodes bytea NOT NULL,
      CONSTRAINT pk_address_tree_pages PRIMARY KEY (tree_digest, page),
      CONSTRAINT address_tree_pages_size CHECK (octet_length(nodes) = 960)
    );
CREATE TABLE address_tree_queue (
        tree bytea NOT NULL,
        queue_index numeric(20,0) NOT NULL,
        address bytea NOT NULL,
        CONSTRAINT pk_address_tree_queue PRIMARY KEY (tree, queue_index)
      );
CREATE TABLE address_tree_undo (
        tree bytea NOT NULL,
        number bigint NOT NULL,
        record bytea NOT NULL,
        entry uuid,
        CONSTRAINT pk_address_tree_undo PRIMARY KEY (tree, number)
      );
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
      );
CREATE TABLE tree_log (
        is_only boolean NOT NULL DEFAULT true,
        topic text NOT NULL,
        generation integer NOT NULL,
        CONSTRAINT pk_tree_log PRIMARY KEY (is_only),
        CONSTRAINT tree_log_is_only CHECK (is_only)
      );
CREATE TABLE tree_republications (
        id bigint GENERATED ALWAYS AS IDENTITY,
        tree bytea NOT NULL,
        from_slot bigint NOT NULL,
        CONSTRAINT pk_tree_republications PRIMARY KEY (id)
      );
CREATE TABLE state_trees (
      
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
  blockhash bytea,
      observed_input_queue_end numeric(20,0) NOT NULL,
      input_queue_start numeric(20,0) NOT NULL,
      input_queue_end numeric(20,0) NOT NULL,
      migrated_slot bigint NOT NULL,
      seen_input_queue_end numeric(20,0) NOT NULL,
      seen_migrated_slot bigint NOT NULL,
      CONSTRAINT pk_state_trees PRIMARY KEY (tree)
    );
CREATE TABLE state_tree_pages (
      tree_digest uuid NOT NULL,
      page bigint NOT NULL,
      nodes bytea NOT NULL,
      CONSTRAINT pk_state_tree_pages PRIMARY KEY (tree_digest, page),
      CONSTRAINT state_tree_pages_size CHECK (octet_length(nodes) = 960)
    );
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
    );
CREATE TABLE state_tree_undo (
      tree bytea NOT NULL,
      number bigint NOT NULL,
      record bytea NOT NULL,
      entry uuid,
      CONSTRAINT pk_state_tree_undo PRIMARY KEY (tree, number)
    );
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
      );
CREATE INDEX idx_migrated_leaves_hash ON migrated_leaves USING hash (hash);
CREATE TABLE output_queue_ends (
        tree_id integer NOT NULL,
        slot bigint NOT NULL,
        next_leaf_index bigint NOT NULL,
        -- 0 if the outputs of the slot state the end.
        counted_leaves bigint NOT NULL,
        CONSTRAINT pk_output_queue_ends PRIMARY KEY (tree_id, slot)
      );
CREATE TABLE schema_functions (
        id bigint GENERATED ALWAYS AS IDENTITY,
        name text NOT NULL,
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_schema_functions PRIMARY KEY (id)
      );
CREATE TYPE account_change AS (
        transaction_id bigint,
        change integer,
        tree_id integer,
        leaf_index bigint,
        hash bytea,
        owner bytea,
        lamports numeric,
        token_owner bytea,
        delegate bytea,
        mint bytea,
        amount numeric,
        onchain_key bytea,
        has_address boolean
      );
-- Each account that appears (1) or disappears (-1) in slots, with the transaction that is the cause. With sign -1 the slots are
-- taken back, and the signs are reversed:
--
--   slot             11            12            13
--   transactions     +A +B         -A +C         -C
--   {11, 12}         A 1, B 1      A -1, C 1               includes_later: C -1, if slot 13 is indexed
--   {11, 12}, -1     A -1, B -1    A 1, C -1               includes_later: C 1
--
-- A spend of an account that is not stored is left out. The slot of the account will include it as a later one.
CREATE OR REPLACE FUNCTION account_changes(slots bigint[], sign integer, includes_later boolean) RETURNS account_change[]
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(
    WITH listed AS MATERIALIZED (
      SELECT t.id, t.created, t.consumed FROM unnest(slots) AS list (slot)
      JOIN transactions t ON t.id >= list.slot << 16 AND t.id < (list.slot + 1) << 16
    ),
    -- Who must have created the account is null if that does not matter.
    effects AS (
      SELECT listed.id AS transaction_id, sign AS change, part.hash, listed.id AS created_by
      FROM listed CROSS JOIN list_hashes(listed.created) AS part
      UNION ALL
      SELECT listed.id, -sign, part.hash, NULL
      FROM listed CROSS JOIN list_hashes(listed.consumed) AS part
      JOIN spends s ON s.hash = part.hash AND s.spent_by = listed.id
      UNION ALL
      SELECT s.spent_by, -sign, part.hash, listed.id
      FROM listed CROSS JOIN list_hashes(listed.created) AS part
      JOIN spends s ON s.hash = part.hash
      WHERE includes_later AND s.spent_by >> 16 <> ALL (slots)
        AND s.spent_by >> 16 <= (SELECT indexed_slot FROM indexer_state)
    )
    SELECT ROW(e.transaction_id, e.change, a.tree_id, a.leaf_index, a.hash, a.owner, a.lamports, a.token_owner, a.delegate,
      a.mint, a.amount, coalesce(a.onchain_pubkey, CASE WHEN a.mint IS NOT NULL THEN a.ata_owner END),
      a.address IS NOT NULL AND a.data_hash IS NOT NULL)::account_change
    FROM effects e JOIN accounts a ON a.hash = e.hash
    WHERE e.created_by IS NULL OR a.created_by = e.created_by);
END
$$;
-- The data of an account. Those of a token account are not stored, unless their form is unusual: they follow from its columns,
-- in the layout of token-data.codec.ts. An option is a byte, 0 or 1, and the value follows 1:
--
--   mint 32 | owner 32 | amount u64 | delegate option 32 | state u8 | extensions option
--
CREATE OR REPLACE FUNCTION account_data(a accounts) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- Big-endian, as the signed number with the same bits.
  amount bytea;
BEGIN
  IF a.data IS NOT NULL OR a.mint IS NULL THEN
    RETURN a.data;
  END IF;
  amount := int8send((CASE WHEN a.amount < 2 ^ 63::numeric THEN a.amount ELSE a.amount - 2 ^ 64::numeric END)::bigint);
  RETURN a.mint || a.token_owner
    || substr(amount, 8, 1) || substr(amount, 7, 1) || substr(amount, 6, 1) || substr(amount, 5, 1)
    || substr(amount, 4, 1) || substr(amount, 3, 1) || substr(amount, 2, 1) || substr(amount, 1, 1)
    || CASE WHEN a.delegate IS NULL THEN '\x00'::bytea ELSE '\x01'::bytea || a.delegate END
    || CASE WHEN a.is_frozen THEN '\x01'::bytea ELSE '\x00'::bytea END
    || CASE WHEN a.tlv IS NULL THEN '\x00'::bytea ELSE '\x01'::bytea || a.tlv END;
END
$$;
-- Advances the indexed slot along the stored blocks, at most max_blocks of them, with everything that follows from their facts:
--
--   stored blocks   10 ── 11 ── 12      14     13 is not stored
--   indexed slot    10 ───────→ 12             derive_slots({11, 12})
--
-- Blocks that are kept_slots below it are deleted. Every 64 slots, so are signatures and ends of queues of old blocks.
--
-- Nothing happens while another writer advances it: that writer looks again when its transaction has ended. Each statement after
-- a lock sees what other writers committed before it: a block that was inserted meanwhile, and would be passed, is found at the
-- end. See require_above_index.sql for a block that is inserted later.
CREATE OR REPLACE FUNCTION advance_indexed_slot(max_blocks integer, kept_slots integer, kept_signatures integer)
RETURNS TABLE (old_slot bigint, new_slot bigint, is_locked boolean)
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  first bigint;
  passed bigint[];
BEGIN
  SELECT s.first_slot, s.indexed_slot INTO first, old_slot FROM indexer_state s FOR UPDATE SKIP LOCKED;
  is_locked := FOUND;
  new_slot := old_slot;
  IF NOT is_locked THEN
    RETURN NEXT;
    RETURN;
  END IF;
  passed := ARRAY(
    SELECT slot FROM linked_blocks(coalesce(old_slot, first), max_blocks + 1) AS linked (slot)
    WHERE slot > coalesce(old_slot, first - 1) ORDER BY slot);
  IF cardinality(passed) > 0 THEN
    new_slot := passed[cardinality(passed)];
    -- Some at a time: the changes of accounts are in memory. Slots full of them have thousands each.
    FOR place IN 1 .. cardinality(passed) BY 50 LOOP
      PERFORM derive_slots(passed[place : place + 49], 1, false);
    END LOOP;
    DELETE FROM blocks b WHERE b.slot < new_slot - kept_slots;
    IF new_slot >> 6 IS DISTINCT FROM old_slot >> 6 THEN
      PERFORM prune_block_signatures(new_slot, kept_signatures);
      PERFORM prune_output_queue_ends(
        (coalesce(old_slot, 0) >> 6 << 6) - kept_slots, (new_slot >> 6 << 6) - kept_slots);
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('fresnel-branch'));
    IF EXISTS (
      SELECT FROM blocks b WHERE b.slot > coalesce(old_slot, first - 1) AND b.slot <= new_slot
        AND b.slot <> ALL (passed)) THEN
      RAISE serialization_failure USING MESSAGE = 'a block was stored that the index would pass';
    END IF;
    UPDATE indexer_state SET indexed_slot = new_slot;
  END IF;
  RETURN NEXT;
END
$$;
-- Whether a stored block continues the indexed branch:
--
--   10 ── 11 ── 12     true if the indexed slot is 11
--
CREATE OR REPLACE FUNCTION can_advance() RETURNS boolean
LANGUAGE sql STABLE
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT EXISTS (
    SELECT FROM indexer_state s CROSS JOIN LATERAL linked_blocks(coalesce(s.indexed_slot, s.first_slot), 2) AS linked (slot)
    WHERE linked.slot > coalesce(s.indexed_slot, s.first_slot - 1))
$$;
-- Counts the leaf indexes of migrated leaves, where outputs do not imply them: from the first end of these slots up to the last
-- one, and from there to the next end that outputs state.
--
--   slot            20        21         22        23
--   end             stated    counted    counted   stated
--   counted leaves            two        one
--   leaf indexes              10 11      12
--   reached         10        12         13        15
--   run             1         1          1         2
--
-- A run begins with an end that is stated. Within it, the leaves of a slot follow those of the slots before. The run of the first
-- slot begins with the end before it, or with leaf 0.
--
-- Returns the slots whose leaves were counted. Slots above the given ones are among them, if their places follow from these.
CREATE OR REPLACE FUNCTION count_migrated_leaves(slots bigint[]) RETURNS bigint[]
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  counted_slots bigint[];
BEGIN
  WITH queues AS (
    SELECT e.tree_id, min(e.slot) AS first_slot, max(e.slot) AS last_slot
    FROM trees t CROSS JOIN unnest(slots) AS list (slot)
    JOIN output_queue_ends e ON e.tree_id = t.id AND e.slot = list.slot
    GROUP BY 1
  ),
  ends AS (
    SELECT q.tree_id, before.slot, before.next_leaf_index AS stated, 0 AS counted
    FROM queues q CROSS JOIN LATERAL (
      SELECT e.slot, e.next_leaf_index FROM output_queue_ends e
      WHERE e.tree_id = q.tree_id AND e.slot < q.first_slot ORDER BY e.slot DESC LIMIT 1
    ) before
    UNION ALL
    SELECT q.tree_id, e.slot, CASE WHEN e.counted_leaves = 0 THEN e.next_leaf_index END, e.counted_leaves
    FROM queues q JOIN output_queue_ends e ON e.tree_id = q.tree_id AND e.slot >= q.first_slot
    WHERE e.slot <= q.last_slot OR NOT EXISTS (
      SELECT FROM output_queue_ends o
      WHERE o.tree_id = q.tree_id AND o.slot > q.last_slot AND o.slot <= e.slot AND o.counted_leaves = 0)
  ),
  runs AS (
    SELECT ends.*, count(stated) OVER (PARTITION BY tree_id ORDER BY slot) AS run FROM ends
  ),
  places AS MATERIALIZED (
    SELECT tree_id, slot, counted, coalesce(max(stated) OVER run_so_far, 0) + sum(counted) OVER run_so_far AS reached
    FROM runs WINDOW run_so_far AS (PARTITION BY tree_id, run ORDER BY slot)
  ),
  numbered AS (
    UPDATE migrated_leaves m SET leaf_index = p.reached - p.counted + m.place
    FROM places p WHERE p.counted > 0 AND m.slot = p.slot AND m.tree_id = p.tree_id
  ),
  moved_ends AS (
    UPDATE output_queue_ends e SET next_leaf_index = p.reached
    FROM places p WHERE p.counted > 0 AND e.tree_id = p.tree_id AND e.slot = p.slot
  )
  SELECT array_agg(slot) INTO counted_slots FROM places WHERE counted > 0;
  RETURN coalesce(counted_slots, '{}');
END
$$;
-- Stores the programs that own accounts with an address and data:
--
--   changes     owner          address    data    address_programs
--   +A          program P      yes        yes     P
--   +B          wallet W       yes        no
--   +C          program Q      no         yes
--
-- A revert leaves them: they only say at which addresses a read looks.
CREATE OR REPLACE FUNCTION derive_address_programs(changes account_change[]) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO address_programs (program)
  SELECT DISTINCT owner FROM unnest(changes) WHERE has_address
  ORDER BY 1
  ON CONFLICT DO NOTHING
$$;
-- Stores the end of the output queue after each slot with outputs, which state it:
--
--   slot                 20      21         22
--   leaves created       8, 9    none       10
--   output_queue_ends    10      no row     11
--
-- Only V2 state trees have an output queue. Ends of slots without outputs are counted, see count_migrated_leaves.sql.
CREATE OR REPLACE FUNCTION derive_output_queue_ends(changes account_change[]) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v2_state_tree CONSTANT smallint := 3;
BEGIN
  INSERT INTO output_queue_ends (tree_id, slot, next_leaf_index, counted_leaves)
  SELECT outputs.tree_id, outputs.slot, outputs.next_leaf_index, 0
  FROM (
    SELECT c.tree_id, c.transaction_id >> 16 AS slot, max(c.leaf_index) + 1 AS next_leaf_index
    FROM unnest(changes) c WHERE c.change = 1 GROUP BY 1, 2
  ) outputs
  JOIN trees t ON t.id = outputs.tree_id WHERE t.tree_type = v2_state_tree
  ON CONFLICT (tree_id, slot) DO UPDATE SET next_leaf_index = excluded.next_leaf_index, counted_leaves = 0;
END
$$;
-- Adds the lamports of accounts to the sums of their owners. A sum of zero has no row:
--
--   changes               stored    owner_lamports
--   P: 1 x 50, -1 x 20    30        60
--   Q: -1 x 20            20        the row is deleted
--
CREATE OR REPLACE FUNCTION derive_owner_lamports(changes account_change[]) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH sums AS (
    SELECT key_digest(owner) AS owner_digest, sum(change * lamports) AS lamports FROM unnest(changes)
    WHERE owner IS NOT NULL GROUP BY owner HAVING sum(change * lamports) <> 0
  ),
  totals AS MATERIALIZED (
    SELECT s.owner_digest, coalesce(o.lamports, 0) + s.lamports AS lamports, o.ctid AS stored
    FROM sums s LEFT JOIN owner_lamports o ON o.owner_digest = s.owner_digest
  ),
  removed AS (
    DELETE FROM owner_lamports WHERE ctid = ANY (ARRAY(SELECT stored FROM totals t WHERE t.lamports = 0))
  )
  INSERT INTO owner_lamports (owner_digest, lamports)
  SELECT t.owner_digest, t.lamports FROM totals t WHERE t.lamports <> 0
  ORDER BY 1
  ON CONFLICT (owner_digest) DO UPDATE SET lamports = excluded.lamports;
END
$$;
-- Lists the transactions of each owner and each owner of tokens, or takes them off the lists (sign -1):
--
--   changes                      owner_signatures        token_owner_signatures
--   T1  +A, owner P              P → T1
--   T2  -A, +B of P for Q        P → T1, T2              Q → T2
--
CREATE OR REPLACE FUNCTION derive_signatures(changes account_change[], sign integer) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF sign = 1 THEN
    INSERT INTO owner_signatures (owner_digest, transaction_id)
    SELECT DISTINCT key_digest(owner), transaction_id FROM unnest(changes) WHERE owner IS NOT NULL
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
    INSERT INTO token_owner_signatures (owner_digest, transaction_id)
    SELECT DISTINCT key_digest(token_owner), transaction_id FROM unnest(changes) WHERE token_owner IS NOT NULL
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM owner_signatures WHERE ctid = ANY (ARRAY(
      SELECT o.ctid FROM unnest(changes) c
      JOIN owner_signatures o ON o.owner_digest = key_digest(c.owner) AND o.transaction_id = c.transaction_id));
    DELETE FROM token_owner_signatures WHERE ctid = ANY (ARRAY(
      SELECT o.ctid FROM unnest(changes) c
      JOIN token_owner_signatures o
        ON o.owner_digest = key_digest(c.token_owner) AND o.transaction_id = c.transaction_id));
  END IF;
END
$$;
-- The read model: adds what follows from the facts of slots, or takes it back (sign -1).
--
--   transactions  accounts  spends            facts of the slots
--            └───────┼────────┘
--             account_changes                 each account that appears or disappears
--        ┌───────────┼─────────┬─────────────────┐
--    signatures   lists     sums of lamports,    ends of output queues
--    by owner     by owner  sums of tokens          └── place_migrated_leaves
--
-- If the slots join an index that has later slots (includes_later), later spends and migrations of their accounts are included:
-- their own slots did not find the accounts. The caller has locked the row of indexer_state.
--
-- The settings make a function join tables in the order of its text, and look rows up by key, whatever the planner assumes about
-- the sizes of the tables: while an index is built, statistics are too old.
CREATE OR REPLACE FUNCTION derive_slots(slots bigint[], sign integer, includes_later boolean) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  changes account_change[];
BEGIN
  -- Lists contain the places of accounts: accounts move after they are listed, and move back before.
  IF sign = -1 THEN
    PERFORM restore_migrated_leaves(slots, includes_later);
  END IF;
  changes := account_changes(slots, sign, includes_later);
  PERFORM derive_signatures(changes, sign);
  PERFORM derive_unspent_accounts(changes);
  PERFORM derive_owner_lamports(changes);
  PERFORM derive_token_holders(changes);
  IF sign = 1 THEN
    PERFORM derive_address_programs(changes);
    PERFORM derive_output_queue_ends(changes);
    IF includes_later OR EXISTS (
      SELECT FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot) THEN
      PERFORM place_migrated_leaves(slots, includes_later);
    END IF;
  END IF;
END
$$;
-- Adds the amounts of token accounts to the balances of their owners, as derive_owner_lamports does with lamports:
--
--   changes                       stored    token_holders
--   mint M, P: 1 x 50, -1 x 20    30        60
--   mint M, Q: -1 x 20            20        the row is deleted
--
CREATE OR REPLACE FUNCTION derive_token_holders(changes account_change[]) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH sums AS (
    SELECT mint, token_owner AS owner, sum(change * amount) AS amount FROM unnest(changes)
    WHERE mint IS NOT NULL GROUP BY 1, 2 HAVING sum(change * amount) <> 0
  ),
  totals AS MATERIALIZED (
    SELECT s.mint, s.owner, coalesce(h.balance, 0) + s.amount AS balance, h.ctid AS stored
    FROM sums s LEFT JOIN token_holders h ON h.owner = s.owner AND h.mint = s.mint
  ),
  removed AS (
    DELETE FROM token_holders WHERE ctid = ANY (ARRAY(SELECT stored FROM totals t WHERE t.balance = 0))
  )
  INSERT INTO token_holders (mint, owner, balance)
  SELECT t.mint, t.owner, t.balance FROM totals t WHERE t.balance <> 0
  ORDER BY 1, 2
  ON CONFLICT (owner, mint) DO UPDATE SET balance = excluded.balance;
END
$$;
-- Lists accounts that appear, and removes those that disappear:
--
--   changes               sum     unspent_accounts
--   A 1                    1      A is inserted
--   B 1, B -1              0      nothing: B is created and spent by these slots
--   C -1                  -1      C is deleted
--
-- Accounts without an owner are known by their hash only.
CREATE OR REPLACE FUNCTION derive_unspent_accounts(changes account_change[]) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH listings AS MATERIALIZED (
    SELECT sum(change) AS change, key_digest(owner) AS owner_digest, key_digest(token_owner) AS token_owner_digest,
      key_digest(delegate) AS delegate_digest, key_digest(onchain_key) AS onchain_digest, leaf_index, hash, mint
    FROM unnest(changes) WHERE owner IS NOT NULL
    GROUP BY owner, token_owner, delegate, onchain_key, leaf_index, hash, mint
    HAVING sum(change) <> 0
  ),
  removed AS (
    DELETE FROM unspent_accounts WHERE ctid = ANY (ARRAY(
      SELECT u.ctid FROM listings l
      JOIN unspent_accounts u ON u.owner_digest = l.owner_digest AND u.leaf_index = l.leaf_index AND u.hash = l.hash
      WHERE l.change < 0))
  )
  INSERT INTO unspent_accounts
    (owner_digest, token_owner_digest, delegate_digest, onchain_digest, leaf_index, hash, mint)
  SELECT owner_digest, token_owner_digest, delegate_digest, onchain_digest, leaf_index, hash, mint FROM listings
  WHERE change > 0;
END
$$;
-- Whether a blockhash is the placeholder of a sparse block: 24 bytes 0xff, and the slot. See sparse-block.ts of the domain.
CREATE OR REPLACE FUNCTION is_sparse(blockhash bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT substr(blockhash, 1, 24) = '\xffffffffffffffffffffffffffffffffffffffffffffffff'::bytea
$$;
-- The digest of a key, by which lists find the rows of the key. It needs half of the space of the key:
--
--   key     32 bytes of an owner, a mint, a tree
--   digest  the first 16 bytes of SHA-256(key)
--
-- Nobody can find a second key with the digest of a given one.
CREATE OR REPLACE FUNCTION key_digest(key bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT encode(substr(sha256(key), 1, 16), 'hex')::uuid
$$;
-- Stored blocks from a slot on. Each is the only stored child of the one before it, and no block is stored between the two: so
-- each stored block at or below the indexed slot is on one branch.
--
--   10 ── 11 ── 13          from 10: 10 and 11. Block 11 has two children, of which one has to be reverted first.
--          └─── 12
--
--   10 ── 11 ─────── 13     from 10: 10 and 11. Block 12', of another branch, would be passed.
--          (11') ── 12'
--
--   100 ····· 107 ·· 110    sparse blocks: 110 attests the slots from its parent on, and its parent may be below 107, from a source that
--                           lacks 107. Sparse blocks have no siblings.
--
-- The rules of the planner are explained in derive_slots.sql.
CREATE OR REPLACE FUNCTION linked_blocks(start bigint, max_blocks integer) RETURNS TABLE (slot bigint)
LANGUAGE sql STABLE
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  WITH listed AS (
    SELECT b.slot, b.blockhash, b.parent_slot, b.parent_blockhash FROM blocks b
    WHERE b.slot >= start ORDER BY b.slot LIMIT max_blocks
  ),
  pairs AS (
    SELECT l.*, lag(l.slot) OVER (ORDER BY l.slot) AS tip, lag(l.blockhash) OVER (ORDER BY l.slot) AS tip_blockhash
    FROM listed l
  ),
  linked AS (
    SELECT p.slot, bool_and(
      CASE WHEN p.tip IS NULL THEN p.slot = start
      WHEN is_sparse(p.parent_blockhash) THEN is_sparse(p.tip_blockhash) AND p.parent_slot <= p.tip
      ELSE p.parent_slot = p.tip AND p.parent_blockhash = p.tip_blockhash AND NOT EXISTS (
        SELECT FROM blocks other
        WHERE other.parent_slot = p.tip AND other.parent_blockhash = p.tip_blockhash AND other.slot <> p.slot)
      END) OVER (ORDER BY p.slot) AS is_linked
    FROM pairs p
  )
  SELECT linked.slot FROM linked WHERE linked.is_linked
$$;
-- The hashes of a list of hashes, which is one string of bytes, with their places:
--
--   list   │ 32 bytes │ 32 bytes │ 32 bytes │
--   place       0          1          2
--
-- It is not written in SQL, which the planner would inline: it would then assume a thousand hashes.
CREATE OR REPLACE FUNCTION list_hashes(list bytea) RETURNS TABLE (hash bytea, place integer)
LANGUAGE plpgsql IMMUTABLE ROWS 4 AS $$
BEGIN
  FOR i IN 0 .. length(list) / 32 - 1 LOOP
    hash := substr(list, 32 * i + 1, 32);
    place := i;
    RETURN NEXT;
  END LOOP;
END
$$;
-- Moves the accounts of migrated leaves whose places are known: those of the slots, those whose places were counted, and
-- (includes_later) those that migrated later and whose accounts the slots create:
--
--                        accounts                     unspent_accounts    migrated_leaves
--   before               V1 tree, leaf 900, seq 31    leaf 900            place in V1: none
--   migrates to leaf 7   V2 tree, leaf 7, no seq      leaf 7              place in V1: leaf 900, seq 31
--   is counted as 8      V2 tree, leaf 8, no seq      leaf 8              place in V1: leaf 900, seq 31
--
-- A leaf migrates once, from a V1 tree. An account that has moved already moves again if its place has changed.
CREATE OR REPLACE FUNCTION move_migrated_accounts(slots bigint[], counted_slots bigint[], includes_later boolean) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v1_state_tree CONSTANT smallint := 1;
BEGIN
  WITH candidates AS (
    SELECT m.* FROM unnest(slots || counted_slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
    UNION ALL
    SELECT m.* FROM unnest(slots) AS list (slot)
    JOIN transactions x ON x.id >= list.slot << 16 AND x.id < (list.slot + 1) << 16
    CROSS JOIN list_hashes(x.created) AS part
    JOIN migrated_leaves m ON m.hash = part.hash
    WHERE includes_later
  ),
  moved AS MATERIALIZED (
    SELECT DISTINCT ON (m.hash) m.slot, m.tree_id, m.place, m.hash, m.leaf_index, t.tree_type = v1_state_tree AS is_in_v1,
      a.owner, a.tree_id AS old_tree_id, a.leaf_index AS old_leaf_index, a.seq AS old_seq
    FROM candidates m JOIN accounts a ON a.hash = m.hash JOIN trees t ON t.id = a.tree_id
    WHERE m.leaf_index IS NOT NULL AND a.created_by >> 16 <= m.slot
      AND (t.tree_type = v1_state_tree OR m.v1_tree_id IS NOT NULL AND a.leaf_index <> m.leaf_index)
    ORDER BY m.hash, m.slot, m.place
  ),
  origins AS (
    UPDATE migrated_leaves m
    SET v1_tree_id = moved.old_tree_id, v1_leaf_index = moved.old_leaf_index, v1_seq = moved.old_seq
    FROM moved
    WHERE moved.is_in_v1 AND m.slot = moved.slot AND m.tree_id = moved.tree_id AND m.place = moved.place
  ),
  lists AS (
    UPDATE unspent_accounts u SET leaf_index = moved.leaf_index
    FROM moved
    WHERE u.owner_digest = key_digest(moved.owner) AND u.leaf_index = moved.old_leaf_index AND u.hash = moved.hash
  )
  UPDATE accounts a SET tree_id = moved.tree_id, leaf_index = moved.leaf_index, seq = NULL
  FROM moved WHERE a.hash = moved.hash;
END
$$;
-- Numbers the leaves that migrated in slots from V1 to V2 state trees, and moves their accounts. They are rare, see ADR 16.
--
--   record_queue_ends       which ends the slots state, and how many leaves each of the others adds
--   count_migrated_leaves   the leaf indexes of these, from the end before
--   move_migrated_accounts  the accounts, and their rows of lists
--
-- If the slots join an index that has later slots (includes_later), it also moves those that migrated later, as far as their
-- places follow from these slots, or their accounts are created in them. derive_slots calls it only if there may be such leaves,
-- and stores the ends that outputs state before.
CREATE OR REPLACE FUNCTION place_migrated_leaves(slots bigint[], includes_later boolean) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  oldest_block bigint;
  counted_slots bigint[];
BEGIN
  SELECT min(b.slot) INTO oldest_block FROM blocks b;
  PERFORM record_queue_ends(slots, CASE WHEN includes_later THEN oldest_block END);
  counted_slots := count_migrated_leaves(slots);
  PERFORM move_migrated_accounts(slots, counted_slots, includes_later);
  IF includes_later THEN
    PERFORM prune_output_queue_ends((SELECT min(slot) FROM unnest(slots) AS list (slot)), oldest_block);
  END IF;
END
$$;
-- Keeps the newest blocks that have a number of signatures together, and all that a fork may orphan:
--
--   slot          90    91   ...   160      indexed slot 160, 1,000 signatures kept
--   signatures   400   400   ...   400
--   kept          96 to 160: what a fork may orphan, though the newest 3 blocks have 1,000
--
-- Blocks before one whose signatures are not recorded are deleted: the list of the newest signatures has no holes. Only the
-- writer that has locked the row of indexer_state calls it.
CREATE OR REPLACE FUNCTION prune_block_signatures(indexed bigint, kept_signatures integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  oldest bigint;
  hole bigint;
BEGIN
  SELECT min(listed.slot) INTO oldest FROM (
    SELECT r.slot, sum(octet_length(r.signatures)) OVER (ORDER BY r.slot DESC) - octet_length(r.signatures) AS newer
    FROM block_signatures r WHERE r.slot <= indexed
  ) listed WHERE listed.newer < 64 * kept_signatures;
  SELECT max(b.slot) INTO hole FROM blocks b
  WHERE b.slot <= indexed AND NOT EXISTS (SELECT FROM block_signatures r WHERE r.slot = b.slot);
  DELETE FROM block_signatures r WHERE r.slot < greatest(least(oldest, indexed - 64), hole);
  -- Rows without signatures state that the block has none.
  DELETE FROM block_signatures r
  WHERE r.slot < (SELECT min(slot) FROM blocks) AND octet_length(r.signatures) = 0;
END
$$;
-- Deletes the end of a queue before each end of these slots, unless leaves were counted at one of the two:
--
--   slot     10        11        12         13         14
--   end      stated    stated    counted    stated     stated
--            deleted                        deleted
--
-- So what is left before the slots is the newest end of each queue, and the ends from which the places of migrated leaves follow.
CREATE OR REPLACE FUNCTION prune_output_queue_ends(from_slot bigint, to_slot bigint) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM output_queue_ends WHERE ctid = ANY (ARRAY(
    SELECT older.stored
    FROM trees t
    JOIN output_queue_ends e ON e.tree_id = t.id AND e.slot >= from_slot AND e.slot < to_slot
    CROSS JOIN LATERAL (
      SELECT o.ctid AS stored, o.counted_leaves FROM output_queue_ends o
      WHERE o.tree_id = e.tree_id AND o.slot < e.slot ORDER BY o.slot DESC LIMIT 1
    ) older
    WHERE e.counted_leaves = 0 AND older.counted_leaves = 0));
END
$$;
-- Stores what the leaves that migrated in slots say about the ends of output queues:
--
--   slot               20              21
--   outputs            leaf 8          none
--   migrated leaves    one, implied    two
--   implied leaf       9
--   end                10, stated      two more than the end before: counted_leaves is 2, count_migrated_leaves adds them
--
-- Before the oldest block that is known (known_from), ends are kept only where leaves were counted. For others, the end before is
-- not known any more, and their leaves keep no place. Null: everything is known.
CREATE OR REPLACE FUNCTION record_queue_ends(slots bigint[], known_from bigint) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO output_queue_ends (tree_id, slot, next_leaf_index, counted_leaves)
  SELECT m.tree_id, m.slot, max(m.implied_leaf_index) + 1, 0
  FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
  WHERE m.implied_leaf_index IS NOT NULL GROUP BY 1, 2
  ON CONFLICT (tree_id, slot) DO UPDATE
  SET next_leaf_index = greatest(output_queue_ends.next_leaf_index, excluded.next_leaf_index), counted_leaves = 0;

  UPDATE migrated_leaves m SET leaf_index = m.implied_leaf_index
  FROM unnest(slots) AS list (slot) WHERE m.slot = list.slot AND m.implied_leaf_index IS NOT NULL;

  INSERT INTO output_queue_ends (tree_id, slot, next_leaf_index, counted_leaves)
  SELECT m.tree_id, m.slot, 0, count(*)
  FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
  WHERE m.implied_leaf_index IS NULL AND (known_from IS NULL OR m.slot >= known_from OR EXISTS (
    SELECT FROM output_queue_ends e WHERE e.tree_id = m.tree_id AND e.slot = m.slot AND e.counted_leaves > 0))
  GROUP BY 1, 2
  ON CONFLICT (tree_id, slot) DO UPDATE SET counted_leaves = excluded.counted_leaves;
END
$$;
-- Ends a transaction that has inserted blocks, of which this is the lowest: fails if the index has passed it meanwhile.
--
--   writer of block 12     insert 12 ──────────────────── lock, shared: the indexed slot is 13 ── fail, and repeat
--   writer of the index       11 → 13, without 12 ── lock ── commit
--
-- See advance_indexed_slot.sql for the other order.
CREATE OR REPLACE FUNCTION require_above_index(lowest_slot bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('fresnel-branch'));
  IF EXISTS (SELECT FROM indexer_state s WHERE s.indexed_slot >= lowest_slot) THEN
    RAISE serialization_failure USING MESSAGE = 'the index has passed a block of this transaction';
  END IF;
END
$$;
-- Moves the accounts of leaves that migrated in slots back to the V1 trees, the opposite of place_migrated_leaves:
--
--                        accounts                     unspent_accounts    migrated_leaves
--   before               V2 tree, leaf 7, no seq      leaf 7              leaf 7, place in V1: leaf 900, seq 31
--   after                V1 tree, leaf 900, seq 31    leaf 900            neither
--
-- The ends of queues after the slots are deleted, unless the slots are derived again (includes_later): then later ones follow from
-- them meanwhile.
CREATE OR REPLACE FUNCTION restore_migrated_leaves(slots bigint[], includes_later boolean) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH restored AS MATERIALIZED (
    SELECT a.hash, a.owner, a.leaf_index, m.v1_tree_id, m.v1_leaf_index, m.v1_seq
    FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
    JOIN accounts a ON a.hash = m.hash
    WHERE m.v1_tree_id IS NOT NULL
  ),
  lists AS (
    UPDATE unspent_accounts u SET leaf_index = restored.v1_leaf_index
    FROM restored
    WHERE u.owner_digest = key_digest(restored.owner) AND u.leaf_index = restored.leaf_index AND u.hash = restored.hash
  )
  UPDATE accounts a
  SET tree_id = restored.v1_tree_id, leaf_index = restored.v1_leaf_index, seq = restored.v1_seq
  FROM restored WHERE a.hash = restored.hash;

  UPDATE migrated_leaves m SET leaf_index = NULL, v1_tree_id = NULL, v1_leaf_index = NULL, v1_seq = NULL
  FROM unnest(slots) AS list (slot) WHERE m.slot = list.slot;

  IF NOT includes_later THEN
    DELETE FROM output_queue_ends e USING trees t CROSS JOIN unnest(slots) AS list (slot)
    WHERE e.tree_id = t.id AND e.slot = list.slot;
  END IF;
END
$$;
