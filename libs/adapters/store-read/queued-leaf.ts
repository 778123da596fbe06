import { TREE_TYPES } from '@fresnel/domain/trees';

/**
 * Whether the leaf of `accounts a` in `trees t` is still in the output queue, as of the indexed slot of `indexer_state s`.
 * Leaves of V1 trees are appended at once.
 */
export const IS_QUEUED = `
  t.tree_type = ${TREE_TYPES.stateV2} AND a.leaf_index >= coalesce((
    SELECT p.next_leaf_index FROM tree_appends p WHERE p.tree_id = t.id AND p.slot <= s.indexed_slot
    ORDER BY p.slot DESC LIMIT 1), 0)`;
