import { type EntityManager } from 'typeorm';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';

const INSERT_ORPHANED_BLOCKS = `
  INSERT INTO orphaned_blocks (slot, blockhash)
  SELECT DISTINCT slot, blockhash FROM unnest($1::bigint[], $2::bytea[]) AS list (slot, blockhash)
  ORDER BY 1, 2
  ON CONFLICT (slot, blockhash) DO UPDATE SET parent_slot = NULL, parent_blockhash = NULL
  WHERE orphaned_blocks.parent_slot IS NOT NULL`;

/** Records blocks that are reverted. Messages about them that arrive later are ignored. */
export async function insertOrphanedBlocks(manager: EntityManager, blocks: readonly BlockRef[]): Promise<void> {
  if (blocks.length === 0) return;
  await manager.query(INSERT_ORPHANED_BLOCKS, [
    blocks.map(({ slot }) => slot),
    blocks.map(({ blockhash }) => blockhash),
  ]);
}

const INSERT_ORPHANED_CHILDREN = `
  INSERT INTO orphaned_blocks (slot, blockhash, parent_slot, parent_blockhash)
  SELECT DISTINCT ON (slot, blockhash) * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bytea[])
    AS list (slot, blockhash, parent_slot, parent_blockhash)
  ORDER BY slot, blockhash
  ON CONFLICT DO NOTHING`;

/** Records children of orphaned blocks. They are orphaned as long as their parents are. */
export async function insertOrphanedChildren(manager: EntityManager, blocks: readonly BlockLink[]): Promise<void> {
  if (blocks.length === 0) return;
  await manager.query(INSERT_ORPHANED_CHILDREN, [
    blocks.map(({ slot }) => slot),
    blocks.map(({ blockhash }) => blockhash),
    blocks.map(({ parentSlot }) => parentSlot),
    blocks.map(({ parentBlockhash }) => parentBlockhash),
  ]);
}

/** The table is small: it has the blocks that forks have orphaned since the index began. */
const DELETE_ORPHANED_BLOCKS = `
  WITH RECURSIVE adopted AS (
    SELECT * FROM unnest($1::bigint[], $2::bytea[]) AS list (slot, blockhash)
    UNION
    SELECT o.slot, o.blockhash FROM adopted
    JOIN orphaned_blocks o ON o.parent_slot = adopted.slot AND o.parent_blockhash = adopted.blockhash
  )
  DELETE FROM orphaned_blocks o USING adopted a WHERE o.slot = a.slot AND o.blockhash = a.blockhash`;

/** Forgets that blocks were reverted, and with them the children that were recorded because of them. */
export async function deleteOrphanedBlocks(manager: EntityManager, blocks: readonly BlockRef[]): Promise<void> {
  await manager.query(DELETE_ORPHANED_BLOCKS, [
    blocks.map(({ slot }) => slot),
    blocks.map(({ blockhash }) => blockhash),
  ]);
}

const FIND_ORPHANED = `
  SELECT place FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS list (slot, blockhash, place)
  JOIN orphaned_blocks USING (slot, blockhash)`;

/** Returns the blocks that are recorded as orphaned. */
export async function findOrphaned(manager: EntityManager, blocks: readonly BlockRef[]): Promise<BlockRef[]> {
  const rows = await manager.query<{ place: string }[]>(FIND_ORPHANED, [
    blocks.map(({ slot }) => slot),
    blocks.map(({ blockhash }) => blockhash),
  ]);
  return rows.map(({ place }) => blocks[Number(place) - 1]);
}
