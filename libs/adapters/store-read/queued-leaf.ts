import { TREE_TYPES } from '@fresnel/domain/trees';

const V2 = TREE_TYPES.stateV2;

/**
 * Joins a tree `t`, with how many leaves of a V2 tree are appended as of the indexed slot of `indexer_state s`. It stays a subquery
 * (OFFSET 0): Postgres remembers its row, and reads it once for all accounts of a tree.
 *
 * @param id SQL of the id of the tree
 */
export function joinTree(id: string): string {
  return `
  JOIN LATERAL (
    SELECT t.tree, t.queue, t.tree_type, t.root_history_capacity, (
      SELECT p.next_leaf_index FROM tree_appends p
      WHERE t.tree_type = ${V2} AND p.tree_id = t.id AND p.slot <= s.indexed_slot
      ORDER BY p.slot DESC LIMIT 1) AS appended_leaves
    FROM trees t WHERE t.id = ${id} OFFSET 0
  ) t ON true`;
}

/** Whether the leaf of `accounts a` is still in the output queue of its tree `t`. Leaves of V1 trees are appended at once. */
export const IS_QUEUED = `t.tree_type = ${V2} AND a.leaf_index >= coalesce(t.appended_leaves, 0)`;
