-- Moves the accounts of leaves that migrated in slots back to the V1 trees, the opposite of place_migrated_leaves:
--
--                        accounts                     unspent_accounts    migrated_leaves
--   before               V2 tree, leaf 7, no seq      leaf 7              leaf 7, place in V1: leaf 900, seq 31
--   after                V1 tree, leaf 900, seq 31    leaf 900            neither
--
-- The ends of queues after the slots are deleted, unless the slots are derived again (includes_later): then later ones follow from
-- them meanwhile.
CREATE OR REPLACE FUNCTION restore_migrated_leaves(slots bigint[], includes_later boolean) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH restored AS MATERIALIZED (
    SELECT a.hash, a.owner, a.leaf_index, m.v1_tree_id, m.v1_leaf_index, m.v1_seq
    FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
    JOIN accounts a ON a.hash = m.hash
    WHERE m.v1_tree_id IS NOT NULL
  ),
  lists AS (
    UPDATE unspent_accounts u SET leaf_index = restored.v1_leaf_index
    FROM restored
    WHERE u.owner_digest = key_digest(restored.owner) AND u.leaf_index = restored.leaf_index AND u.hash = restored.hash
  )
  UPDATE accounts a
  SET tree_id = restored.v1_tree_id, leaf_index = restored.v1_leaf_index, seq = restored.v1_seq
  FROM restored WHERE a.hash = restored.hash;

  UPDATE migrated_leaves m SET leaf_index = NULL, v1_tree_id = NULL, v1_leaf_index = NULL, v1_seq = NULL
  FROM unnest(slots) AS list (slot) WHERE m.slot = list.slot;

  IF NOT includes_later THEN
    DELETE FROM output_queue_ends e USING trees t CROSS JOIN unnest(slots) AS list (slot)
    WHERE e.tree_id = t.id AND e.slot = list.slot;
  END IF;
END
$$
