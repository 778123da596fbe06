-- Whether a stored block continues the indexed branch:
--
--   10 ── 11 ── 12     true if the indexed slot is 11
--
CREATE OR REPLACE FUNCTION can_advance() RETURNS boolean
LANGUAGE sql STABLE
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT EXISTS (
    SELECT FROM indexer_state s CROSS JOIN LATERAL linked_blocks(coalesce(s.indexed_slot, s.first_slot), 2) AS linked (slot)
    WHERE linked.slot > coalesce(s.indexed_slot, s.first_slot - 1))
$$
