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
$$
