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

/** Inserts or updates the metadata of trees. */
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

const INSERT_APPENDS = `
  INSERT INTO tree_appends (slot, tree, next_leaf_index)
  SELECT slot, tree, max(next_leaf_index)
  FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS list (slot, tree, next_leaf_index)
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (slot, tree) DO NOTHING`;

/** A queue appends in order, so the highest index implies all appends before it. */
const RAISE_APPENDED_LEAVES = `
  UPDATE trees SET appended_leaves = greatest(appended_leaves, raised.next_leaf_index)
  FROM (
    SELECT tree, max(next_leaf_index) AS next_leaf_index
    FROM unnest($1::bytea[], $2::bigint[]) AS list (tree, next_leaf_index) GROUP BY tree
  ) raised
  WHERE trees.tree = raised.tree`;

/** An append of a slot. */
export type AppendedInSlot = AccountFacts['appended'][number] & { slot: number };

/** Stores how many leaves of V2 state trees have left their output queues. */
export async function raiseAppendedLeaves(manager: EntityManager, appended: readonly AppendedInSlot[]): Promise<void> {
  if (appended.length === 0) return;
  const trees = appended.map(({ tree }) => tree);
  const nextLeafIndices = appended.map(({ nextLeafIndex }) => nextLeafIndex);
  await manager.query(INSERT_APPENDS, [appended.map(({ slot }) => slot), trees, nextLeafIndices]);
  await manager.query(RAISE_APPENDED_LEAVES, [trees, nextLeafIndices]);
}

/** Waits for concurrent writers that raise one of these trees, so that their appends are counted. */
export const LOCK_APPENDED_TREES = `
  SELECT tree FROM trees WHERE tree IN (SELECT tree FROM tree_appends WHERE slot = ANY ($1::bigint[]))
  ORDER BY tree FOR UPDATE`;
export const DELETE_APPENDS = `DELETE FROM tree_appends WHERE slot = ANY ($1::bigint[])`;
export const RECOUNT_APPENDED_LEAVES = `
  UPDATE trees SET appended_leaves = coalesce(
    (SELECT max(a.next_leaf_index) FROM tree_appends a WHERE a.tree = trees.tree), 0)
  WHERE tree = ANY ($1::bytea[])`;

/** Reverts the appends of slots. */
export async function deleteAppends(manager: EntityManager, slots: readonly number[]): Promise<void> {
  const rows = await manager.query<{ tree: Buffer }[]>(LOCK_APPENDED_TREES, [slots]);
  await manager.query(DELETE_APPENDS, [slots]);
  if (rows.length > 0) await manager.query(RECOUNT_APPENDED_LEAVES, [rows.map(({ tree }) => tree)]);
}
