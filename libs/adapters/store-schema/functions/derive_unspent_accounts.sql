-- Lists accounts that appear, and removes those that disappear:
--
--   changes               sum     unspent_accounts
--   A 1                    1      A is inserted
--   B 1, B -1              0      nothing: B is created and spent by these slots
--   C -1                  -1      C is deleted
--
-- Accounts without an owner are known by their hash only.
CREATE OR REPLACE FUNCTION derive_unspent_accounts(changes account_change[]) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH listings AS MATERIALIZED (
    SELECT sum(change) AS change, key_digest(owner) AS owner_digest, key_digest(token_owner) AS token_owner_digest,
      key_digest(delegate) AS delegate_digest, key_digest(onchain_key) AS onchain_digest, leaf_index, hash, mint
    FROM unnest(changes) WHERE owner IS NOT NULL
    GROUP BY owner, token_owner, delegate, onchain_key, leaf_index, hash, mint
    HAVING sum(change) <> 0
  ),
  removed AS (
    DELETE FROM unspent_accounts WHERE ctid = ANY (ARRAY(
      SELECT u.ctid FROM listings l
      JOIN unspent_accounts u ON u.owner_digest = l.owner_digest AND u.leaf_index = l.leaf_index AND u.hash = l.hash
      WHERE l.change < 0))
  )
  INSERT INTO unspent_accounts
    (owner_digest, token_owner_digest, delegate_digest, onchain_digest, leaf_index, hash, mint)
  SELECT owner_digest, token_owner_digest, delegate_digest, onchain_digest, leaf_index, hash, mint FROM listings
  WHERE change > 0;
END
$$
