-- The hashes of a list of hashes, which is one string of bytes, with their places:
--
--   list   │ 32 bytes │ 32 bytes │ 32 bytes │
--   place       0          1          2
--
-- It is not written in SQL, which the planner would inline: it would then assume a thousand hashes.
CREATE OR REPLACE FUNCTION list_hashes(list bytea) RETURNS TABLE (hash bytea, place integer)
LANGUAGE plpgsql IMMUTABLE ROWS 4 AS $$
BEGIN
  FOR i IN 0 .. length(list) / 32 - 1 LOOP
    hash := substr(list, 32 * i + 1, 32);
    place := i;
    RETURN NEXT;
  END LOOP;
END
$$
