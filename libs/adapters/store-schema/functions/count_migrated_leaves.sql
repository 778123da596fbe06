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
$$
