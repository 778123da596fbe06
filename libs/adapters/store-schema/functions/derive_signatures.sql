-- Lists the transactions of each owner and each owner of tokens, or takes them off the lists (sign -1):
--
--   changes                      owner_signatures        token_owner_signatures
--   T1  +A, owner P              P → T1
--   T2  -A, +B of P for Q        P → T1, T2              Q → T2
--
CREATE OR REPLACE FUNCTION derive_signatures(changes account_change[], sign integer) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF sign = 1 THEN
    INSERT INTO owner_signatures (owner_digest, transaction_id)
    SELECT DISTINCT key_digest(owner), transaction_id FROM unnest(changes) WHERE owner IS NOT NULL
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
    INSERT INTO token_owner_signatures (owner_digest, transaction_id)
    SELECT DISTINCT key_digest(token_owner), transaction_id FROM unnest(changes) WHERE token_owner IS NOT NULL
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM owner_signatures WHERE ctid = ANY (ARRAY(
      SELECT o.ctid FROM unnest(changes) c
      JOIN owner_signatures o ON o.owner_digest = key_digest(c.owner) AND o.transaction_id = c.transaction_id));
    DELETE FROM token_owner_signatures WHERE ctid = ANY (ARRAY(
      SELECT o.ctid FROM unnest(changes) c
      JOIN token_owner_signatures o
        ON o.owner_digest = key_digest(c.token_owner) AND o.transaction_id = c.transaction_id));
  END IF;
END
$$
