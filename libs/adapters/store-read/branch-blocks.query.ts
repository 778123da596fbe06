import { blockKeyBytes, type BlockRef, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { type Reader, type Statement } from './reader';

/**
 * Whether each block is on the indexed branch, by key: slot (8, big-endian) and blockhash (32).
 *
 * Every stored block at or below the indexed slot is on the branch. A block above it may still be indexed, unless it is orphaned, its
 * parent is below the indexed slot, or the trees have it on a branch whose newest block up to the indexed slot is not the indexed
 * one. A long branch of trees begins with a change, and there may be silent blocks between it and the next one: such a change has to
 * be the newest of the index. Blocks that are deleted by now are final.
 */
export const BRANCH_BLOCKS: Statement = {
  name: 'branch-blocks',
  text: `
    WITH asked AS (
      SELECT place, key, ('x' || encode(substring(key FOR 8), 'hex'))::bit(64)::bigint AS slot, substring(key FROM 9) AS blockhash
      FROM unnest($1::bytea[]) WITH ORDINALITY AS list (key, place)
    ),
    newest AS (
      SELECT int8send(b.slot) || b.blockhash AS key FROM blocks b, indexer_state s
      WHERE b.slot <= s.indexed_slot ORDER BY b.slot DESC LIMIT 1
    ),
    newest_change AS (
      SELECT int8send(b.slot) || b.blockhash AS key FROM blocks b, indexer_state s
      WHERE b.changes_trees AND b.slot <= s.indexed_slot ORDER BY b.slot DESC LIMIT 1
    )
    SELECT CASE
      WHEN asked.slot > s.indexed_slot THEN orphaned.slot IS NULL
        AND NOT (stored.blockhash IS NOT DISTINCT FROM asked.blockhash AND stored.parent_slot < s.indexed_slot)
        AND NOT EXISTS (
          SELECT FROM tree_partitions p CROSS JOIN LATERAL (
            SELECT key, place FROM unnest(p.branch) WITH ORDINALITY AS list (key, place)
            WHERE key < int8send(s.indexed_slot + 1) ORDER BY place DESC LIMIT 1) last
          WHERE asked.key = ANY (p.branch)
            AND last.key <> CASE
              WHEN last.place = 1 AND cardinality(p.branch) > ${MAX_FORK_DEPTH + 1} THEN (SELECT key FROM newest_change)
              ELSE (SELECT key FROM newest) END)
      WHEN asked.slot < (SELECT min(slot) FROM blocks) THEN true
      ELSE stored.blockhash IS NOT NULL AND stored.blockhash = asked.blockhash
    END AS is_on_branch
    FROM indexer_state s CROSS JOIN asked
    LEFT JOIN blocks stored ON stored.slot = asked.slot
    LEFT JOIN orphaned_blocks orphaned ON orphaned.slot = asked.slot AND orphaned.blockhash = asked.blockhash
    ORDER BY place`,
};

/**
 * Whether a block is on the indexed branch, or may still be indexed. Blocks of one turn of the event loop are read together.
 *
 * @throws StoreUnavailableError
 */
export async function isOnBranch(reader: Reader, block: BlockRef): Promise<boolean> {
  const row = await reader.lookUp<{ is_on_branch: boolean }>(BRANCH_BLOCKS, blockKeyBytes(block));
  return row.is_on_branch;
}
