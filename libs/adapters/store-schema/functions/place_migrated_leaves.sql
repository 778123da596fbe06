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
$$
