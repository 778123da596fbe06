-- Stored blocks from a slot on. Each is the only stored child of the one before it, and no block is stored between the two: so
-- each stored block at or below the indexed slot is on one branch.
--
--   10 ── 11 ── 13          from 10: 10 and 11. Block 11 has two children, of which one has to be reverted first.
--          └─── 12
--
--   10 ── 11 ─────── 13     from 10: 10 and 11. Block 12', of another branch, would be passed.
--          (11') ── 12'
--
--   100 ····· 107 ·· 110    sparse blocks: 110 attests the slots from its parent on, and its parent may be below 107, from a source that
--                           lacks 107. Sparse blocks have no siblings.
--
-- The rules of the planner are explained in derive_slots.sql.
CREATE OR REPLACE FUNCTION linked_blocks(start bigint, max_blocks integer) RETURNS TABLE (slot bigint)
LANGUAGE sql STABLE
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  WITH listed AS (
    SELECT b.slot, b.blockhash, b.parent_slot, b.parent_blockhash FROM blocks b
    WHERE b.slot >= start ORDER BY b.slot LIMIT max_blocks
  ),
  pairs AS (
    SELECT l.*, lag(l.slot) OVER (ORDER BY l.slot) AS tip, lag(l.blockhash) OVER (ORDER BY l.slot) AS tip_blockhash
    FROM listed l
  ),
  linked AS (
    SELECT p.slot, bool_and(
      CASE WHEN p.tip IS NULL THEN p.slot = start
      WHEN is_sparse(p.parent_blockhash) THEN is_sparse(p.tip_blockhash) AND p.parent_slot <= p.tip
      ELSE p.parent_slot = p.tip AND p.parent_blockhash = p.tip_blockhash AND NOT EXISTS (
        SELECT FROM blocks other
        WHERE other.parent_slot = p.tip AND other.parent_blockhash = p.tip_blockhash AND other.slot <> p.slot)
      END) OVER (ORDER BY p.slot) AS is_linked
    FROM pairs p
  )
  SELECT linked.slot FROM linked WHERE linked.is_linked
$$
