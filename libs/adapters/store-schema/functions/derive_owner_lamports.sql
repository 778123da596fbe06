-- Adds the lamports of accounts to the sums of their owners. A sum of zero has no row:
--
--   changes               stored    owner_lamports
--   P: 1 x 50, -1 x 20    30        60
--   Q: -1 x 20            20        the row is deleted
--
CREATE OR REPLACE FUNCTION derive_owner_lamports(changes account_change[]) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH sums AS (
    SELECT key_digest(owner) AS owner_digest, sum(change * lamports) AS lamports FROM unnest(changes)
    WHERE owner IS NOT NULL GROUP BY owner HAVING sum(change * lamports) <> 0
  ),
  totals AS MATERIALIZED (
    SELECT s.owner_digest, coalesce(o.lamports, 0) + s.lamports AS lamports, o.ctid AS stored
    FROM sums s LEFT JOIN owner_lamports o ON o.owner_digest = s.owner_digest
  ),
  removed AS (
    DELETE FROM owner_lamports WHERE ctid = ANY (ARRAY(SELECT stored FROM totals t WHERE t.lamports = 0))
  )
  INSERT INTO owner_lamports (owner_digest, lamports)
  SELECT t.owner_digest, t.lamports FROM totals t WHERE t.lamports <> 0
  ORDER BY 1
  ON CONFLICT (owner_digest) DO UPDATE SET lamports = excluded.lamports;
END
$$
