import { type MigratedLeaf } from '@fresnel/domain/state';
import { toHash, toPubkey } from '@fresnel/domain/primitives';
import { type EntityManager } from 'typeorm';

/** A leaf that migrated in a slot. */
export type MigratedInSlot = MigratedLeaf & { slot: number };

const INSERT_MIGRATED_LEAVES = `
  INSERT INTO migrated_leaves (slot, tree_id, place, hash, implied_leaf_index)
  SELECT list.slot, t.id, list.place, list.hash, list.leaf_index
  FROM unnest($1::bigint[], $2::bytea[], $3::integer[], $4::bytea[], $5::bigint[])
    AS list (slot, tree, place, hash, leaf_index)
  JOIN trees t ON t.tree = list.tree
  ORDER BY 1, 2, 3
  ON CONFLICT DO NOTHING`;

/** Stores leaves that migrated to V2 trees, which must be stored. The accounts may be stored later, or never. */
export async function insertMigratedLeaves(manager: EntityManager, migrated: readonly MigratedInSlot[]): Promise<void> {
  if (migrated.length === 0) return;
  await manager.query(INSERT_MIGRATED_LEAVES, [
    migrated.map(({ slot }) => slot),
    migrated.map(({ tree }) => tree),
    migrated.map(({ place }) => place),
    migrated.map(({ hash }) => hash),
    migrated.map(({ leafIndex }) => leafIndex),
  ]);
}

export const MIGRATED_LEAVES_OF_SLOTS = `
  SELECT m.slot, t.tree, m.hash FROM unnest($1::bigint[]) AS list (slot)
  JOIN migrated_leaves m ON m.slot = list.slot JOIN trees t ON t.id = m.tree_id`;

/** Finds the leaves that migrated in slots. */
export async function findMigratedLeaves(
  manager: EntityManager,
  slots: readonly number[],
): Promise<Pick<MigratedInSlot, 'slot' | 'tree' | 'hash'>[]> {
  const rows = await manager.query<{ slot: string; tree: Buffer; hash: Buffer }[]>(MIGRATED_LEAVES_OF_SLOTS, [slots]);
  return rows.map(({ slot, tree, hash }) => ({ slot: Number(slot), tree: toPubkey(tree), hash: toHash(hash) }));
}

export const DELETE_MIGRATED_LEAVES = `DELETE FROM migrated_leaves WHERE slot = ANY ($1::bigint[])`;

/** Reverts the migrations of slots, whose accounts have moved back. */
export async function deleteMigratedLeaves(manager: EntityManager, slots: readonly number[]): Promise<void> {
  await manager.query(DELETE_MIGRATED_LEAVES, [slots]);
}
