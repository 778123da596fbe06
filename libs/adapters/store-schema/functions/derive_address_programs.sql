-- Stores the programs that own accounts with an address and data:
--
--   changes     owner          address    data    address_programs
--   +A          program P      yes        yes     P
--   +B          wallet W       yes        no
--   +C          program Q      no         yes
--
-- A revert leaves them: they only say at which addresses a read looks.
CREATE OR REPLACE FUNCTION derive_address_programs(changes account_change[]) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO address_programs (program)
  SELECT DISTINCT owner FROM unnest(changes) WHERE has_address
  ORDER BY 1
  ON CONFLICT DO NOTHING
$$
