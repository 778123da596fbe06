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
$$
