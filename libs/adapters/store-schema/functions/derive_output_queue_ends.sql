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
$$
