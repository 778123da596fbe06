import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Moves of the indexed slot and of everything that is stored as of it. */
export class CreateIndexedSlotFunctions1760000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Adds the changes of the slots between two indexed slots to the balances, or with sign -1 takes them back.
    await runner.query(`
      CREATE FUNCTION apply_holder_changes(from_slot bigint, to_slot bigint, sign integer) RETURNS void
      LANGUAGE sql AS $$
        WITH changed AS (
          INSERT INTO token_holders AS h (mint, owner, balance)
          SELECT mint, owner, sign * sum(amount) FROM holder_changes
          WHERE slot > from_slot AND slot <= to_slot
          GROUP BY mint, owner
          ORDER BY mint, owner
          ON CONFLICT (mint, owner) DO UPDATE SET balance = h.balance + excluded.balance
        )
        SELECT;
        DELETE FROM token_holders h USING (
          SELECT DISTINCT mint, owner FROM holder_changes WHERE slot > from_slot AND slot <= to_slot
        ) changed
        WHERE h.mint = changed.mint AND h.owner = changed.owner AND h.balance = 0;
      $$`);

    // Stores the chain tip, and advances the indexed slot along the stored blocks, at most max_blocks of them, in a transaction of its own: the row
    // of indexer_state is locked for one round trip, and each statement after the lock sees what other writers committed
    // before it.
    await runner.query(`
      CREATE FUNCTION advance_indexed_slot(tip bigint, tip_seen_at timestamptz, max_blocks integer, kept_blocks integer)
      RETURNS TABLE (old_slot bigint, new_slot bigint, is_complete boolean)
      LANGUAGE plpgsql AS $$
      DECLARE
        first bigint;
        passed integer;
      BEGIN
        SELECT s.first_slot, s.indexed_slot INTO first, old_slot FROM indexer_state s FOR UPDATE;
        WITH RECURSIVE chain AS (
          SELECT b.slot, b.blockhash, 0 AS place FROM blocks b WHERE b.slot = coalesce(old_slot, first)
          UNION ALL
          SELECT b.slot, b.blockhash, place + 1 FROM chain
          JOIN blocks b ON b.parent_slot = chain.slot AND b.parent_blockhash = chain.blockhash
          WHERE place < max_blocks
        )
        SELECT max(slot), max(place) INTO new_slot, passed FROM chain;
        is_complete := passed IS NULL OR passed < max_blocks;
        IF new_slot IS NOT NULL AND new_slot IS DISTINCT FROM old_slot THEN
          PERFORM apply_holder_changes(coalesce(old_slot, first - 1), new_slot, 1);
          DELETE FROM holder_changes WHERE slot <= (
            SELECT b.slot FROM blocks b WHERE b.slot <= new_slot ORDER BY b.slot DESC OFFSET kept_blocks LIMIT 1);
        ELSE
          new_slot := old_slot;
        END IF;
        UPDATE indexer_state SET indexed_slot = new_slot,
          chain_tip = greatest(chain_tip, tip), chain_tip_seen_at = greatest(chain_tip_seen_at, tip_seen_at)
        WHERE indexed_slot IS DISTINCT FROM new_slot OR tip IS NOT NULL;
        RETURN NEXT;
      END
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION advance_indexed_slot`);
    await runner.query(`DROP FUNCTION apply_holder_changes`);
  }
}
