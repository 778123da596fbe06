import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Makes a function join tables in the order of its text, and look rows up by key, whatever the planner assumes about the
 * sizes of the tables: while an index is built, statistics are too old.
 */
const BY_KEY = `
      SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`;

/** Moves of the indexed slot, and of the tables that follow from the facts of the indexed slots. */
export class CreateIndexedSlotFunctions1760000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Adds what follows from the facts of slots: signatures by owner, and balances. With sign -1 takes it back. Of an account
    // that is spent, but not in one of these slots, the spend is included if the slots join an index that has the spend
    // (includes_later_spends). The caller has locked the row of indexer_state.
    await runner.query(`
      CREATE FUNCTION derive_slots(slots bigint[], sign integer, includes_later_spends boolean) RETURNS void
      LANGUAGE plpgsql ${BY_KEY} AS $$
      BEGIN
        WITH listed AS MATERIALIZED (
          SELECT t.id, t.created, t.consumed FROM unnest(slots) AS list (slot)
          JOIN transactions t ON t.id >= list.slot << 16 AND t.id < (list.slot + 1) << 16
        ),
        created AS MATERIALIZED (
          SELECT a.hash, a.created_by, a.owner, a.token_owner, a.mint, a.amount
          FROM listed CROSS JOIN list_hashes(listed.created) AS part
          JOIN accounts a ON a.hash = part.hash AND a.created_by = listed.id
        ),
        changes AS MATERIALIZED (
          SELECT created_by AS transaction_id, owner, token_owner, mint, amount FROM created
          UNION ALL
          SELECT s.spent_by, a.owner, a.token_owner, a.mint, -a.amount
          FROM listed CROSS JOIN list_hashes(listed.consumed) AS part
          JOIN spends s ON s.hash = part.hash AND s.spent_by = listed.id
          JOIN accounts a ON a.hash = part.hash
          UNION ALL
          SELECT s.spent_by, c.owner, c.token_owner, c.mint, -c.amount
          FROM created c JOIN spends s ON s.hash = c.hash
          WHERE includes_later_spends AND s.spent_by >> 16 <> ALL (slots)
            AND s.spent_by >> 16 <= (SELECT indexed_slot FROM indexer_state)
        ),
        owners AS (
          INSERT INTO owner_signatures (owner, transaction_id)
          SELECT DISTINCT owner, transaction_id FROM changes WHERE sign = 1 AND owner IS NOT NULL
          ORDER BY 1, 2
          ON CONFLICT DO NOTHING
        ),
        token_owners AS (
          INSERT INTO token_owner_signatures (owner, transaction_id)
          SELECT DISTINCT token_owner, transaction_id FROM changes WHERE sign = 1 AND token_owner IS NOT NULL
          ORDER BY 1, 2
          ON CONFLICT DO NOTHING
        ),
        removed_owners AS (
          DELETE FROM owner_signatures WHERE ctid = ANY (ARRAY(
            SELECT o.ctid FROM changes c
            JOIN owner_signatures o ON o.owner = c.owner AND o.transaction_id = c.transaction_id
            WHERE sign = -1))
        ),
        removed_token_owners AS (
          DELETE FROM token_owner_signatures WHERE ctid = ANY (ARRAY(
            SELECT o.ctid FROM changes c
            JOIN token_owner_signatures o ON o.owner = c.token_owner AND o.transaction_id = c.transaction_id
            WHERE sign = -1))
        ),
        sums AS (
          SELECT mint, token_owner AS owner, sign * sum(amount) AS amount FROM changes
          WHERE mint IS NOT NULL GROUP BY 1, 2 HAVING sum(amount) <> 0
        ),
        balances AS MATERIALIZED (
          SELECT sums.mint, sums.owner, coalesce(h.balance, 0) + sums.amount AS balance, h.ctid AS holder
          FROM sums LEFT JOIN token_holders h ON h.mint = sums.mint AND h.owner = sums.owner
        ),
        removed_holders AS (
          DELETE FROM token_holders WHERE ctid = ANY (ARRAY(SELECT holder FROM balances WHERE balance = 0))
        )
        INSERT INTO token_holders (mint, owner, balance)
        SELECT mint, owner, balance FROM balances WHERE balance <> 0
        ORDER BY 1, 2
        ON CONFLICT (mint, owner) DO UPDATE SET balance = excluded.balance;
      END
      $$`);

    // The slots from a block back along its parents, down to a bound, which is not included.
    await runner.query(`
      CREATE FUNCTION branch_slots(top bigint, bound bigint) RETURNS bigint[]
      LANGUAGE sql STABLE ${BY_KEY} AS $$
        WITH RECURSIVE branch AS (
          SELECT b.slot, b.parent_slot, b.parent_blockhash FROM blocks b WHERE b.slot = top AND b.slot > bound
          UNION ALL
          SELECT b.slot, b.parent_slot, b.parent_blockhash FROM branch
          JOIN blocks b ON b.slot = branch.parent_slot AND b.blockhash = branch.parent_blockhash
          WHERE b.slot > bound
        )
        SELECT coalesce(array_agg(slot), '{}') FROM branch
      $$`);

    // Advances the indexed slot along the stored blocks, at most max_blocks of them, and deletes blocks that are kept_slots
    // below it. Nothing happens while another writer advances it; that writer looks again when its transaction has ended.
    // Each statement after the lock sees what other writers committed before it.
    await runner.query(`
      CREATE FUNCTION advance_indexed_slot(max_blocks integer, kept_slots integer)
      RETURNS TABLE (old_slot bigint, new_slot bigint, is_locked boolean)
      LANGUAGE plpgsql ${BY_KEY} AS $$
      DECLARE
        first bigint;
      BEGIN
        SELECT s.first_slot, s.indexed_slot INTO first, old_slot FROM indexer_state s FOR UPDATE SKIP LOCKED;
        is_locked := FOUND;
        IF NOT is_locked THEN
          RETURN NEXT;
          RETURN;
        END IF;
        WITH RECURSIVE chain AS (
          SELECT b.slot, b.blockhash, 0 AS place FROM blocks b WHERE b.slot = coalesce(old_slot, first)
          UNION ALL
          SELECT b.slot, b.blockhash, place + 1 FROM chain
          JOIN blocks b ON b.parent_slot = chain.slot AND b.parent_blockhash = chain.blockhash
          WHERE place < max_blocks
        )
        SELECT max(slot) INTO new_slot FROM chain;
        IF new_slot IS DISTINCT FROM old_slot THEN
          PERFORM derive_slots(branch_slots(new_slot, coalesce(old_slot, first - 1)), 1, false);
          UPDATE indexer_state SET indexed_slot = new_slot;
          DELETE FROM blocks b WHERE b.slot < new_slot - kept_slots;
        END IF;
        RETURN NEXT;
      END
      $$`);

    // Whether a stored block continues the indexed chain.
    await runner.query(`
      CREATE FUNCTION can_advance() RETURNS boolean
      LANGUAGE sql STABLE ${BY_KEY} AS $$
        SELECT EXISTS (
          SELECT FROM indexer_state s JOIN blocks b ON b.slot = s.first_slot WHERE s.indexed_slot IS NULL
          UNION ALL
          SELECT FROM indexer_state s JOIN blocks tip ON tip.slot = s.indexed_slot
          JOIN blocks b ON b.parent_slot = tip.slot AND b.parent_blockhash = tip.blockhash)
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['can_advance', 'advance_indexed_slot', 'branch_slots', 'derive_slots']) {
      await runner.query(`DROP FUNCTION ${name}`);
    }
  }
}
