-- Keeps the newest blocks that have a number of signatures together, and all that a fork may orphan:
--
--   slot          90    91   ...   160      indexed slot 160, 1,000 signatures kept
--   signatures   400   400   ...   400
--   kept          96 to 160: what a fork may orphan, though the newest 3 blocks have 1,000
--
-- Blocks before one whose signatures are not recorded are deleted: the list of the newest signatures has no holes. Only the
-- writer that has locked the row of indexer_state calls it.
CREATE OR REPLACE FUNCTION prune_block_signatures(indexed bigint, kept_signatures integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  oldest bigint;
  hole bigint;
BEGIN
  SELECT min(listed.slot) INTO oldest FROM (
    SELECT r.slot, sum(octet_length(r.signatures)) OVER (ORDER BY r.slot DESC) - octet_length(r.signatures) AS newer
    FROM block_signatures r WHERE r.slot <= indexed
  ) listed WHERE listed.newer < 64 * kept_signatures;
  SELECT max(b.slot) INTO hole FROM blocks b
  WHERE b.slot <= indexed AND NOT EXISTS (SELECT FROM block_signatures r WHERE r.slot = b.slot);
  DELETE FROM block_signatures r WHERE r.slot < greatest(least(oldest, indexed - 64), hole);
  -- Rows without signatures state that the block has none.
  DELETE FROM block_signatures r
  WHERE r.slot < (SELECT min(slot) FROM blocks) AND octet_length(r.signatures) = 0;
END
$$
