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
$$
