-- The digest of a key, by which lists find the rows of the key. It needs half of the space of the key:
--
--   key     32 bytes of an owner, a mint, a tree
--   digest  the first 16 bytes of SHA-256(key)
--
-- Nobody can find a second key with the digest of a given one.
CREATE OR REPLACE FUNCTION key_digest(key bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT encode(substr(sha256(key), 1, 16), 'hex')::uuid
$$
