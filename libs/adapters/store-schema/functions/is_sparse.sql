-- Whether a blockhash is the placeholder of a sparse block: 24 bytes 0xff, and the slot. See sparse-block.ts of the domain.
CREATE OR REPLACE FUNCTION is_sparse(blockhash bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT substr(blockhash, 1, 24) = '\xffffffffffffffffffffffffffffffffffffffffffffffff'::bytea
$$
