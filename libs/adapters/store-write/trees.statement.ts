import { type PositionKey } from '@fresnel/adapters/store-schema';
import { type AccountFacts, TreeDirectory } from '@fresnel/domain/state';
import { TREE_TYPES, type TreeInfo } from '@fresnel/domain/trees';
import { type EntityManager } from 'typeorm';

/**
 * Rows that would not change are not locked: every batch names trees, and writers must not wait for each other there. A consumer
 * that does not have the claim of its partition changes nothing.
 */
const UPSERT_TREES = `
  INSERT INTO trees (tree, queue, tree_type, height, root_history_capacity, owner)
  SELECT list.* FROM unnest($1::bytea[], $2::bytea[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bytea[])
    AS list (tree, queue, tree_type, height, root_history_capacity, owner)
  WHERE NOT EXISTS (
    SELECT FROM trees t WHERE t.tree = list.tree
      AND (t.queue, t.tree_type, t.height, t.root_history_capacity, t.owner)
        IS NOT DISTINCT FROM (list.queue, list.tree_type, list.height, list.root_history_capacity, list.owner))
    AND ($7::bigint IS NULL OR EXISTS (
      SELECT FROM positions p
      WHERE p.epoch = $7 AND p.consumer_group = $8 AND p.topic = $9 AND p.partition = $10))
  ORDER BY 1
  ON CONFLICT (tree) DO UPDATE SET
    queue = excluded.queue, tree_type = excluded.tree_type, height = excluded.height,
    root_history_capacity = excluded.root_history_capacity, owner = excluded.owner`;

/**
 * Inserts or updates the metadata of trees.
 *
 * @param claim of the partition in which they arrived; null when they do not come from a bus
 */
export async function upsertTrees(
  manager: EntityManager,
  trees: readonly TreeInfo[],
  claim: (PositionKey & { epoch: bigint }) | null,
): Promise<void> {
  const unique = new TreeDirectory(trees).all();
  if (unique.length === 0) return;
  await manager.query(UPSERT_TREES, [
    unique.map(({ tree }) => tree),
    unique.map(({ queue }) => queue),
    unique.map(({ type }) => TREE_TYPES[type]),
    unique.map(({ height }) => height),
    unique.map(({ rootHistoryCapacity }) => rootHistoryCapacity),
    unique.map(({ owner }) => owner),
    claim?.epoch,
    claim?.consumerGroup,
    claim?.topic,
    claim?.partition,
  ]);
}

const INSERT_APPENDS = `
  INSERT INTO tree_appends (tree_id, slot, next_leaf_index)
  SELECT t.id, list.slot, max(list.next_leaf_index)
  FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) AS list (tree, slot, next_leaf_index)
  JOIN trees t ON t.tree = list.tree
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (tree_id, slot) DO NOTHING`;

/** An append of a slot. */
export type AppendedInSlot = AccountFacts['appended'][number] & { slot: number };

/**
 * Stores how many leaves of V2 state trees have left their output queues. A queue appends in order, so the newest append
 * implies all before it. The trees must be stored.
 */
export async function insertAppends(manager: EntityManager, appended: readonly AppendedInSlot[]): Promise<void> {
  if (appended.length === 0) return;
  await manager.query(INSERT_APPENDS, [
    appended.map(({ tree }) => tree),
    appended.map(({ slot }) => slot),
    appended.map(({ nextLeafIndex }) => nextLeafIndex),
  ]);
}

export const DELETE_APPENDS = `DELETE FROM tree_appends WHERE slot = ANY ($1::bigint[])`;

/** Reverts the appends of slots. */
export async function deleteAppends(manager: EntityManager, slots: readonly number[]): Promise<void> {
  await manager.query(DELETE_APPENDS, [slots]);
}
