import { type EntityManager } from 'typeorm';
import { type BlockRef } from '@fresnel/domain/chain';

const INSERT_ORPHANED_BLOCKS = `
  INSERT INTO orphaned_blocks (slot, blockhash)
  SELECT DISTINCT slot, blockhash FROM unnest($1::bigint[], $2::bytea[]) AS list (slot, blockhash)
  ORDER BY 1, 2
  ON CONFLICT DO NOTHING`;

/** Records orphaned blocks. Messages about them that arrive later are ignored. */
export async function insertOrphanedBlocks(manager: EntityManager, blocks: readonly BlockRef[]): Promise<void> {
  if (blocks.length === 0) return;
  await manager.query(INSERT_ORPHANED_BLOCKS, [
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
