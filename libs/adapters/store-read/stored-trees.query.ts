import { toTreeHead, type TreeRow } from '@fresnel/adapters/store-schema';
import { partitionOfTree } from '@fresnel/contracts/messages';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { closureOf, type ProofState } from './branch-blocks.query';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

/** A tree as provers have stored it. */
export interface StoredTree {
  head: TreeHead;
  /** The slot up to which its partition is applied; null before the first one. */
  slot: Slot | null;
  /** Whether blocks of another branch than the trees follow were published, and no revert has decided yet. */
  isUndecided: boolean;
  closure: ProofState['closure'];
}

const HEAD_COLUMNS = `
  tree, queue, tree_type, height, root_history_capacity, owner, observed_slot, observed_seq, observed_next_index,
  observed_queue_end, observed_root, seq, next_index, root, queue_end, seen_seq, seen_queue_end, quarantine_reason, change_count,
  last_changed_slot, untrusted_from, untrusted_to`;
/** What address trees do not have. */
const STATE_COLUMNS = [
  'observed_input_queue_end',
  'input_queue_start',
  'input_queue_end',
  'migrated_slot',
  'seen_input_queue_end',
  'seen_migrated_slot',
];

/** A row for each tree, or only for the tree $1, at least one row. A chain has a few dozen trees. */
const STORED_TREES: Statement = {
  name: 'stored-trees',
  text: `
    WITH heads AS (
      SELECT ${HEAD_COLUMNS}, ${STATE_COLUMNS.map((column) => `0 AS ${column}`).join(', ')} FROM address_trees
      UNION ALL
      SELECT ${HEAD_COLUMNS}, ${STATE_COLUMNS.join(', ')} FROM state_trees)
    SELECT s.indexed_slot, heads.*, ${closureOf('heads.tree')} AS closure,
      (SELECT jsonb_agg(jsonb_build_object('slot', p.slot, 'hasRefused', p.has_refused) ORDER BY p.partition)
        FROM tree_partitions p JOIN tree_log USING (topic)) AS partitions
    FROM indexer_state s LEFT JOIN heads ON $1::bytea IS NULL OR heads.tree = $1
    ORDER BY heads.tree`,
};

interface HeadRow extends TreeRow {
  closure: ProofState['closure'];
  partitions: { slot: number | null; hasRefused: boolean }[] | null;
}
type Row = WithIndexedSlot & (HeadRow | { tree: null });

/**
 * Finds the trees, by key, and the indexed slot.
 *
 * @param tree null: all
 * @throws NothingIndexedError before the first slot is indexed
 */
export async function findStoredTrees(
  reader: Reader,
  tree: Pubkey | null,
): Promise<{ slot: Slot; trees: StoredTree[] }> {
  const rows = await reader.query<Row>(STORED_TREES, [tree]);
  return { slot: toSlot(indexedSlotOf(rows)), trees: rows.flatMap((row) => (row.tree === null ? [] : [toTree(row)])) };
}

function toTree(row: HeadRow): StoredTree {
  const head = toTreeHead(row);
  const partitions = row.partitions ?? [];
  const partition = partitions.at(partitionOfTree(head.info.tree, partitions.length));
  const slot = partition?.slot ?? null;
  const isUndecided = partition?.hasRefused ?? false;
  return { head, slot: slot === null ? null : toSlot(slot), isUndecided, closure: row.closure };
}
