import { type AccountFacts, TreeDirectory } from '@fresnel/domain/state';
import { TREE_TYPES, type TreeInfo } from '@fresnel/domain/trees';
import { type EntityManager } from 'typeorm';

const UPSERT_TREES = `
  INSERT INTO trees AS t (tree, queue, tree_type, height, root_history_capacity, owner)
  SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bytea[])
  ORDER BY 1
  ON CONFLICT (tree) DO UPDATE SET
    queue = excluded.queue, tree_type = excluded.tree_type, height = excluded.height,
    root_history_capacity = excluded.root_history_capacity, owner = excluded.owner
  WHERE (t.queue, t.tree_type, t.height, t.root_history_capacity, t.owner)
    IS DISTINCT FROM (excluded.queue, excluded.tree_type, excluded.height, excluded.root_history_capacity, excluded.owner)`;

/** Stores what is known of trees. */
export async function upsertTrees(manager: EntityManager, trees: readonly TreeInfo[]): Promise<void> {
  const unique = new TreeDirectory(trees).all();
  if (unique.length === 0) return;
  await manager.query(UPSERT_TREES, [
    unique.map(({ tree }) => tree),
    unique.map(({ queue }) => queue),
    unique.map(({ type }) => TREE_TYPES[type]),
    unique.map(({ height }) => height),
    unique.map(({ rootHistoryCapacity }) => rootHistoryCapacity),
    unique.map(({ owner }) => owner),
  ]);
}

/** Appends go through a queue in order, so the furthest one seen stands for all before it. */
const RAISE_APPENDED_LEAVES = `
  UPDATE trees SET appended_leaves = greatest(appended_leaves, raised.next_leaf_index)
  FROM (
    SELECT tree, max(next_leaf_index) AS next_leaf_index
    FROM unnest($1::bytea[], $2::bigint[]) AS list (tree, next_leaf_index) GROUP BY tree
  ) raised
  WHERE trees.tree = raised.tree`;

/** Notes how many leaves of V2 state trees have left their output queues. */
export async function raiseAppendedLeaves(manager: EntityManager, appended: AccountFacts['appended']): Promise<void> {
  if (appended.length === 0) return;
  await manager.query(RAISE_APPENDED_LEAVES, [
    appended.map(({ tree }) => tree),
    appended.map(({ nextLeafIndex }) => nextLeafIndex),
  ]);
}
