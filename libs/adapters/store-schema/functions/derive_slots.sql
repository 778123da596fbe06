-- The read model: adds what follows from the facts of slots, or takes it back (sign -1).
--
--   transactions  accounts  spends            facts of the slots
--            └───────┼────────┘
--             account_changes                 each account that appears or disappears
--        ┌───────────┼─────────┬─────────────────┐
--    signatures   lists     sums of lamports,    ends of output queues
--    by owner     by owner  sums of tokens          └── place_migrated_leaves
--
-- If the slots join an index that has later slots (includes_later), later spends and migrations of their accounts are included:
-- their own slots did not find the accounts. The caller has locked the row of indexer_state.
--
-- The settings make a function join tables in the order of its text, and look rows up by key, whatever the planner assumes about
-- the sizes of the tables: while an index is built, statistics are too old.
CREATE OR REPLACE FUNCTION derive_slots(slots bigint[], sign integer, includes_later boolean) RETURNS void
LANGUAGE plpgsql
SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  changes account_change[];
BEGIN
  -- Lists contain the places of accounts: accounts move after they are listed, and move back before.
  IF sign = -1 THEN
    PERFORM restore_migrated_leaves(slots, includes_later);
  END IF;
  changes := account_changes(slots, sign, includes_later);
  PERFORM derive_signatures(changes, sign);
  PERFORM derive_unspent_accounts(changes);
  PERFORM derive_owner_lamports(changes);
  PERFORM derive_token_holders(changes);
  IF sign = 1 THEN
    PERFORM derive_address_programs(changes);
    PERFORM derive_output_queue_ends(changes);
    IF includes_later OR EXISTS (
      SELECT FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot) THEN
      PERFORM place_migrated_leaves(slots, includes_later);
    END IF;
  END IF;
END
$$
