-- Each account that appears (1) or disappears (-1) in slots, with the transaction that is the cause. With sign -1 the slots are
-- taken back, and the signs are reversed:
--
--   slot             11            12            13
--   transactions     +A +B         -A +C         -C
--   {11, 12}         A 1, B 1      A -1, C 1               includes_later: C -1, if slot 13 is indexed
--   {11, 12}, -1     A -1, B -1    A 1, C -1               includes_later: C 1
--
-- A spend of an account that is not stored is left out. The slot of the account will include it as a later one.
CREATE OR REPLACE FUNCTION account_changes(slots bigint[], sign integer, includes_later boolean) RETURNS account_change[]
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(
    WITH listed AS MATERIALIZED (
      SELECT t.id, t.created, t.consumed FROM unnest(slots) AS list (slot)
      JOIN transactions t ON t.id >= list.slot << 16 AND t.id < (list.slot + 1) << 16
    ),
    -- Who must have created the account is null if that does not matter.
    effects AS (
      SELECT listed.id AS transaction_id, sign AS change, part.hash, listed.id AS created_by
      FROM listed CROSS JOIN list_hashes(listed.created) AS part
      UNION ALL
      SELECT listed.id, -sign, part.hash, NULL
      FROM listed CROSS JOIN list_hashes(listed.consumed) AS part
      JOIN spends s ON s.hash = part.hash AND s.spent_by = listed.id
      UNION ALL
      SELECT s.spent_by, -sign, part.hash, listed.id
      FROM listed CROSS JOIN list_hashes(listed.created) AS part
      JOIN spends s ON s.hash = part.hash
      WHERE includes_later AND s.spent_by >> 16 <> ALL (slots)
        AND s.spent_by >> 16 <= (SELECT indexed_slot FROM indexer_state)
    )
    SELECT ROW(e.transaction_id, e.change, a.tree_id, a.leaf_index, a.hash, a.owner, a.lamports, a.token_owner, a.delegate,
      a.mint, a.amount, coalesce(a.onchain_pubkey, CASE WHEN a.mint IS NOT NULL THEN a.ata_owner END),
      a.address IS NOT NULL AND a.data_hash IS NOT NULL)::account_change
    FROM effects e JOIN accounts a ON a.hash = e.hash
    WHERE e.created_by IS NULL OR a.created_by = e.created_by);
END
$$
