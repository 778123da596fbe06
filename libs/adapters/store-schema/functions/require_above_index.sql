-- Ends a transaction that has inserted blocks, of which this is the lowest: fails if the index has passed it meanwhile.
--
--   writer of block 12     insert 12 ──────────────────── lock, shared: the indexed slot is 13 ── fail, and repeat
--   writer of the index       11 → 13, without 12 ── lock ── commit
--
-- See advance_indexed_slot.sql for the other order.
CREATE OR REPLACE FUNCTION require_above_index(lowest_slot bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('fresnel-branch'));
  IF EXISTS (SELECT FROM indexer_state s WHERE s.indexed_slot >= lowest_slot) THEN
    RAISE serialization_failure USING MESSAGE = 'the index has passed a block of this transaction';
  END IF;
END
$$
