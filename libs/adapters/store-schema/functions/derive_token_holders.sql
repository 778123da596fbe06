-- Adds the amounts of token accounts to the balances of their owners, as derive_owner_lamports does with lamports:
--
--   changes                       stored    token_holders
--   mint M, P: 1 x 50, -1 x 20    30        60
--   mint M, Q: -1 x 20            20        the row is deleted
--
CREATE OR REPLACE FUNCTION derive_token_holders(changes account_change[]) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH sums AS (
    SELECT mint, token_owner AS owner, sum(change * amount) AS amount FROM unnest(changes)
    WHERE mint IS NOT NULL GROUP BY 1, 2 HAVING sum(change * amount) <> 0
  ),
  totals AS MATERIALIZED (
    SELECT s.mint, s.owner, coalesce(h.balance, 0) + s.amount AS balance, h.ctid AS stored
    FROM sums s LEFT JOIN token_holders h ON h.owner = s.owner AND h.mint = s.mint
  ),
  removed AS (
    DELETE FROM token_holders WHERE ctid = ANY (ARRAY(SELECT stored FROM totals t WHERE t.balance = 0))
  )
  INSERT INTO token_holders (mint, owner, balance)
  SELECT t.mint, t.owner, t.balance FROM totals t WHERE t.balance <> 0
  ORDER BY 1, 2
  ON CONFLICT (owner, mint) DO UPDATE SET balance = excluded.balance;
END
$$
