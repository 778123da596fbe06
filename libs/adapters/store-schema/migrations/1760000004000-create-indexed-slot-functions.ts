import { TREE_TYPES } from '@fresnel/domain/trees';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { BY_KEY } from './by-key';

/** Columns of `accounts a` that lists and balances follow from. */
const ACCOUNT_COLUMNS = `
            a.hash, a.leaf_index, a.owner, a.lamports, a.token_owner, a.delegate, a.mint, a.amount`;
const LISTED_COLUMNS = `${ACCOUNT_COLUMNS},
            coalesce(a.onchain_pubkey, CASE WHEN a.mint IS NOT NULL THEN a.ata_owner END) AS onchain,
            a.address IS NOT NULL AND a.data_hash IS NOT NULL AS has_address`;
/** The same of rows that have been read with LISTED_COLUMNS. */
const READ_COLUMNS = `${ACCOUNT_COLUMNS}, a.onchain, a.has_address`;

/** Moves of the indexed slot, and of the tables that follow from the facts of the indexed slots. */
export class CreateIndexedSlotFunctions1760000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Adds what follows from the facts of slots: signatures, unspent accounts, lamports and token balances by owner. With sign
    // -1 takes it back. If the slots join an index that has later slots (includes_later), later spends and
    // migrations of their accounts are included. The caller has locked the row of indexer_state.
    await runner.query(`
      CREATE FUNCTION derive_slots(slots bigint[], sign integer, includes_later boolean) RETURNS void
      LANGUAGE plpgsql ${BY_KEY} AS $$
      BEGIN
        -- Lists contain the places of accounts: accounts move after they are listed, and move back before.
        IF sign = -1 THEN
          PERFORM restore_migrated_leaves(slots, includes_later);
        END IF;
        WITH listed AS MATERIALIZED (
          SELECT t.id, t.created, t.consumed FROM unnest(slots) AS list (slot)
          JOIN transactions t ON t.id >= list.slot << 16 AND t.id < (list.slot + 1) << 16
        ),
        created AS MATERIALIZED (
          SELECT a.created_by, a.tree_id, ${LISTED_COLUMNS}
          FROM listed CROSS JOIN list_hashes(listed.created) AS part
          JOIN accounts a ON a.hash = part.hash AND a.created_by = listed.id
        ),
        -- Each account that appears (1) or disappears (-1).
        changes AS MATERIALIZED (
          SELECT a.created_by AS transaction_id, sign AS change, ${READ_COLUMNS} FROM created a
          UNION ALL
          SELECT s.spent_by, -sign, ${LISTED_COLUMNS}
          FROM listed CROSS JOIN list_hashes(listed.consumed) AS part
          JOIN spends s ON s.hash = part.hash AND s.spent_by = listed.id
          JOIN accounts a ON a.hash = part.hash
          UNION ALL
          SELECT s.spent_by, -sign, ${READ_COLUMNS}
          FROM created a JOIN spends s ON s.hash = a.hash
          WHERE includes_later AND s.spent_by >> 16 <> ALL (slots)
            AND s.spent_by >> 16 <= (SELECT indexed_slot FROM indexer_state)
        ),
        owners AS (
          INSERT INTO owner_signatures (owner_digest, transaction_id)
          SELECT DISTINCT key_digest(owner), transaction_id FROM changes WHERE sign = 1 AND owner IS NOT NULL
          ORDER BY 1, 2
          ON CONFLICT DO NOTHING
        ),
        token_owners AS (
          INSERT INTO token_owner_signatures (owner_digest, transaction_id)
          SELECT DISTINCT key_digest(token_owner), transaction_id FROM changes
          WHERE sign = 1 AND token_owner IS NOT NULL
          ORDER BY 1, 2
          ON CONFLICT DO NOTHING
        ),
        removed_owners AS (
          DELETE FROM owner_signatures WHERE ctid = ANY (ARRAY(
            SELECT o.ctid FROM changes c
            JOIN owner_signatures o ON o.owner_digest = key_digest(c.owner) AND o.transaction_id = c.transaction_id
            WHERE sign = -1))
        ),
        removed_token_owners AS (
          DELETE FROM token_owner_signatures WHERE ctid = ANY (ARRAY(
            SELECT o.ctid FROM changes c
            JOIN token_owner_signatures o
              ON o.owner_digest = key_digest(c.token_owner) AND o.transaction_id = c.transaction_id
            WHERE sign = -1))
        ),
        -- An account that is created and spent by these slots is not listed at all.
        listings AS MATERIALIZED (
          SELECT sum(change) AS change, key_digest(owner) AS owner_digest, key_digest(token_owner) AS token_owner_digest,
            key_digest(delegate) AS delegate_digest, key_digest(onchain) AS onchain_digest, leaf_index, hash, mint
          FROM changes WHERE owner IS NOT NULL
          GROUP BY owner, token_owner, delegate, onchain, leaf_index, hash, mint
          HAVING sum(change) <> 0
        ),
        removed_listings AS (
          DELETE FROM unspent_accounts WHERE ctid = ANY (ARRAY(
            SELECT u.ctid FROM listings l
            JOIN unspent_accounts u
              ON u.owner_digest = l.owner_digest AND u.leaf_index = l.leaf_index AND u.hash = l.hash
            WHERE l.change < 0))
        ),
        added_listings AS (
          INSERT INTO unspent_accounts
            (owner_digest, token_owner_digest, delegate_digest, onchain_digest, leaf_index, hash, mint)
          SELECT owner_digest, token_owner_digest, delegate_digest, onchain_digest, leaf_index, hash, mint FROM listings
          WHERE change > 0
        ),
        queue_ends AS (
          INSERT INTO output_queue_ends (tree_id, slot, next_leaf_index, counted_leaves)
          SELECT outputs.tree_id, outputs.slot, outputs.next_leaf_index, 0
          FROM (
            SELECT c.tree_id, c.created_by >> 16 AS slot, max(c.leaf_index) + 1 AS next_leaf_index
            FROM created c WHERE sign = 1 GROUP BY 1, 2
          ) outputs
          JOIN trees t ON t.id = outputs.tree_id WHERE t.tree_type = ${TREE_TYPES.stateV2}
          ON CONFLICT (tree_id, slot) DO UPDATE SET next_leaf_index = excluded.next_leaf_index, counted_leaves = 0
        ),
        programs AS (
          INSERT INTO address_programs (program)
          SELECT DISTINCT c.owner FROM changes c WHERE sign = 1 AND c.has_address
          ORDER BY 1
          ON CONFLICT DO NOTHING
        ),
        lamport_sums AS (
          SELECT key_digest(owner) AS owner_digest, sum(change * lamports) AS lamports FROM changes
          WHERE owner IS NOT NULL GROUP BY owner HAVING sum(change * lamports) <> 0
        ),
        lamports AS MATERIALIZED (
          SELECT sums.owner_digest, coalesce(o.lamports, 0) + sums.lamports AS lamports, o.ctid AS stored
          FROM lamport_sums sums LEFT JOIN owner_lamports o ON o.owner_digest = sums.owner_digest
        ),
        removed_lamports AS (
          DELETE FROM owner_lamports WHERE ctid = ANY (ARRAY(SELECT stored FROM lamports l WHERE l.lamports = 0))
        ),
        changed_lamports AS (
          INSERT INTO owner_lamports (owner_digest, lamports)
          SELECT l.owner_digest, l.lamports FROM lamports l WHERE l.lamports <> 0
          ORDER BY 1
          ON CONFLICT (owner_digest) DO UPDATE SET lamports = excluded.lamports
        ),
        sums AS (
          SELECT mint, token_owner AS owner, sum(change * amount) AS amount FROM changes
          WHERE mint IS NOT NULL GROUP BY 1, 2 HAVING sum(change * amount) <> 0
        ),
        balances AS MATERIALIZED (
          SELECT sums.mint, sums.owner, coalesce(h.balance, 0) + sums.amount AS balance, h.ctid AS holder
          FROM sums LEFT JOIN token_holders h ON h.owner = sums.owner AND h.mint = sums.mint
        ),
        removed_holders AS (
          DELETE FROM token_holders WHERE ctid = ANY (ARRAY(SELECT holder FROM balances WHERE balance = 0))
        )
        INSERT INTO token_holders (mint, owner, balance)
        SELECT mint, owner, balance FROM balances WHERE balance <> 0
        ORDER BY 1, 2
        ON CONFLICT (owner, mint) DO UPDATE SET balance = excluded.balance;
        IF sign = 1 AND (includes_later OR EXISTS (
          SELECT FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot)) THEN
          PERFORM place_migrated_leaves(slots, includes_later);
        END IF;
      END
      $$`);

    await createAdvance(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of [
      'require_above_index',
      'can_advance',
      'advance_indexed_slot',
      'linked_blocks',
      'derive_slots',
    ]) {
      await runner.query(`DROP FUNCTION ${name}`);
    }
  }
}

/** Serializes the ends of two kinds of transactions: those that insert blocks, and those that advance the indexed slot. */
const BRANCH_LOCK = `hashtext('fresnel-branch')`;

/**
 * The indexed slot only advances over blocks of one branch, so that each stored block at or below it is on the indexed branch:
 *
 * ```
 *   10 ── 11 ── 13            the indexed slot is 11: block 11 has two children. One of them has to be reverted first.
 *          └─── 12
 *   10 ── 11 ─────── 13       the indexed slot is 11: block 12' would be at or below the indexed slot 13.
 *          (11') ── 12'
 * ```
 */
async function createAdvance(runner: QueryRunner): Promise<void> {
  // Stored blocks from a slot on. Each is the only stored child of the one before it, and no block is stored between the two.
  await runner.query(`
    CREATE FUNCTION linked_blocks(start bigint, max_blocks integer) RETURNS TABLE (slot bigint)
    LANGUAGE sql STABLE ${BY_KEY} AS $$
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
          ELSE p.parent_slot = p.tip AND p.parent_blockhash = p.tip_blockhash AND NOT EXISTS (
            SELECT FROM blocks other
            WHERE other.parent_slot = p.tip AND other.parent_blockhash = p.tip_blockhash AND other.slot <> p.slot)
          END) OVER (ORDER BY p.slot) AS is_linked
        FROM pairs p
      )
      SELECT linked.slot FROM linked WHERE linked.is_linked
    $$`);

  // Advances the indexed slot along the stored blocks, at most max_blocks of them, and deletes blocks that are kept_slots
  // below it. Every 64 slots it deletes signatures and ends of queues of old blocks. Nothing happens while another writer
  // advances it; that writer looks again when its transaction has ended. Each statement after a lock sees what other writers
  // committed before it: a block that was inserted meanwhile, and would be passed, is found at the end.
  await runner.query(`
    CREATE FUNCTION advance_indexed_slot(max_blocks integer, kept_slots integer, kept_signatures integer)
    RETURNS TABLE (old_slot bigint, new_slot bigint, is_locked boolean)
    LANGUAGE plpgsql ${BY_KEY} AS $$
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
        WHERE slot > coalesce(old_slot, first - 1));
      IF cardinality(passed) > 0 THEN
        SELECT max(slot) INTO new_slot FROM unnest(passed) AS list (slot);
        PERFORM derive_slots(passed, 1, false);
        DELETE FROM blocks b WHERE b.slot < new_slot - kept_slots;
        IF new_slot >> 6 IS DISTINCT FROM old_slot >> 6 THEN
          PERFORM prune_block_signatures(new_slot, kept_signatures);
          PERFORM prune_output_queue_ends(
            (coalesce(old_slot, 0) >> 6 << 6) - kept_slots, (new_slot >> 6 << 6) - kept_slots);
        END IF;
        PERFORM pg_advisory_xact_lock(${BRANCH_LOCK});
        IF EXISTS (
          SELECT FROM blocks b WHERE b.slot > coalesce(old_slot, first - 1) AND b.slot <= new_slot
            AND b.slot <> ALL (passed)) THEN
          RAISE serialization_failure USING MESSAGE = 'a block was stored that the index would pass';
        END IF;
        UPDATE indexer_state SET indexed_slot = new_slot;
      END IF;
      RETURN NEXT;
    END
    $$`);

  // Whether a stored block continues the indexed branch.
  await runner.query(`
    CREATE FUNCTION can_advance() RETURNS boolean
    LANGUAGE sql STABLE ${BY_KEY} AS $$
      SELECT EXISTS (
        SELECT FROM indexer_state s CROSS JOIN LATERAL linked_blocks(coalesce(s.indexed_slot, s.first_slot), 2) AS linked (slot)
        WHERE linked.slot > coalesce(s.indexed_slot, s.first_slot - 1))
    $$`);

  // Ends a transaction that has inserted blocks, of which this is the lowest: fails if the indexed slot has passed it.
  await runner.query(`
    CREATE FUNCTION require_above_index(lowest_slot bigint) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(${BRANCH_LOCK});
      IF EXISTS (SELECT FROM indexer_state s WHERE s.indexed_slot >= lowest_slot) THEN
        RAISE serialization_failure USING MESSAGE = 'the index has passed a block of this transaction';
      END IF;
    END
    $$`);
}
