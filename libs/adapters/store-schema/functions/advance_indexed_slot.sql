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
$$
