import { blockKeyBytes, type BlockRef, type FindingReason, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { type Pubkey } from '@fresnel/domain/primitives';
import { type Reader, type Statement } from './reader';

/** `ProofState.closure` of a tree, with `indexer_state s`. */
export function closureOf(tree: string): string {
  return `CASE WHEN s.history_checked OR NOT EXISTS (SELECT FROM attested_ranges)
      THEN (SELECT min(f.reason) FROM history_findings f WHERE f.tree = ${tree})
      ELSE 'not-compared' END`;
}

/**
 * Whether each block is on the indexed branch, and why a tree is closed, by key: slot (8, big-endian), blockhash (32), tree (32).
 *
 * Every stored block at or below the indexed slot is on the branch. A block above it may still be indexed if the trees have it in the
 * journal, on a branch whose newest block up to the indexed slot is the indexed one; unless it is orphaned, or its parent is below
 * the indexed slot. Redis may have a block that the journal has lost with its revert: nobody knows its branch. A long branch of trees
 * begins with a change, and there may be silent blocks between it and the next one: such a change has to be the newest of the
 * index. Blocks that are deleted by now are final.
 *
 * Trees of which history lacks something are closed, and all trees until history is compared with the chain.
 */
export const BRANCH_BLOCKS: Statement = {
  name: 'branch-blocks',
  text: `
    WITH asked AS (
      SELECT place, substring(asked FOR 40) AS key, substring(asked FROM 41) AS tree,
        ('x' || encode(substring(asked FOR 8), 'hex'))::bit(64)::bigint AS slot,
        substring(asked FROM 9 FOR 32) AS blockhash
      FROM unnest($1::bytea[]) WITH ORDINALITY AS list (asked, place)
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
        AND EXISTS (SELECT FROM tree_partitions p WHERE asked.key = ANY (p.branch))
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
    END AS is_on_branch,
    ${closureOf('asked.tree')} AS closure
    FROM indexer_state s CROSS JOIN asked
    LEFT JOIN blocks stored ON stored.slot = asked.slot
    LEFT JOIN orphaned_blocks orphaned ON orphaned.slot = asked.slot AND orphaned.blockhash = asked.blockhash
    ORDER BY place`,
};

/** What the tables say about an answer of a prover. */
export interface ProofState {
  /** Whether its block is on the indexed branch, or comes after it in the trees. */
  isOnBranch: boolean;
  /** Why no proof of its tree is given; null: they are given. `not-compared`: history was not compared with the chain yet. */
  closure: FindingReason | 'not-compared' | null;
}

/**
 * Looks at the block of an answer, and at its tree. Those of one turn of the event loop are read together.
 *
 * @throws StoreUnavailableError
 */
export async function findProofState(reader: Reader, block: BlockRef, tree: Pubkey): Promise<ProofState> {
  const key = Buffer.concat([blockKeyBytes(block), tree]);
  const row = await reader.lookUp<{ is_on_branch: boolean; closure: ProofState['closure'] }>(BRANCH_BLOCKS, key);
  return { isOnBranch: row.is_on_branch, closure: row.closure };
}
