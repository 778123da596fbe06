-- The data of an account. Those of a token account are not stored, unless their form is unusual: they follow from its columns,
-- in the layout of token-data.codec.ts. An option is a byte, 0 or 1, and the value follows 1:
--
--   mint 32 | owner 32 | amount u64 | delegate option 32 | state u8 | extensions option
--
CREATE OR REPLACE FUNCTION account_data(a accounts) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- Big-endian, as the signed number with the same bits.
  amount bytea;
BEGIN
  IF a.data IS NOT NULL OR a.mint IS NULL THEN
    RETURN a.data;
  END IF;
  amount := int8send((CASE WHEN a.amount < 2 ^ 63::numeric THEN a.amount ELSE a.amount - 2 ^ 64::numeric END)::bigint);
  RETURN a.mint || a.token_owner
    || substr(amount, 8, 1) || substr(amount, 7, 1) || substr(amount, 6, 1) || substr(amount, 5, 1)
    || substr(amount, 4, 1) || substr(amount, 3, 1) || substr(amount, 2, 1) || substr(amount, 1, 1)
    || CASE WHEN a.delegate IS NULL THEN '\x00'::bytea ELSE '\x01'::bytea || a.delegate END
    || CASE WHEN a.is_frozen THEN '\x01'::bytea ELSE '\x00'::bytea END
    || CASE WHEN a.tlv IS NULL THEN '\x00'::bytea ELSE '\x01'::bytea || a.tlv END;
END
$$
