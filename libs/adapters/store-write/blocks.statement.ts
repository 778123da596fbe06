import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { toHash, toSlot } from '@fresnel/domain/primitives';
import { mayChangeTrees, type SlotEvents } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';

/** Blocks that are so many slots below the indexed slot are deleted. A fork orphans at most 31 blocks. */
export const KEPT_SLOTS = 2_048;

/**
 * Inserts the first block of each slot, except of slots that the index has passed, or that are before its first one. Inserts
 * none if one of the blocks is orphaned, or the child of an orphaned block.
 */
const INSERT_BLOCKS = `
  WITH inserted AS (
    INSERT INTO blocks (slot, parent_slot, blockhash, parent_blockhash, block_time, block_height, changes_trees)
    SELECT DISTINCT ON (slot)
      slot, parent_slot, blockhash, parent_blockhash, block_time, block_height, changes_trees
    FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bigint[], $6::bigint[], $7::boolean[])
      WITH ORDINALITY
      AS list (slot, parent_slot, blockhash, parent_blockhash, block_time, block_height, changes_trees, place)
    WHERE NOT EXISTS (
      SELECT FROM unnest($1::bigint[] || $2::bigint[], $3::bytea[] || $4::bytea[]) AS named (slot, blockhash)
      JOIN orphaned_blocks USING (slot, blockhash))
      AND slot > coalesce((SELECT coalesce(indexed_slot, first_slot - 1) FROM indexer_state), -1)
    ORDER BY slot, place
    ON CONFLICT (slot) DO NOTHING
    RETURNING slot
  )
  SELECT coalesce(array_agg(slot), '{}')::text[] AS slots FROM inserted`;

/**
 * Inserts blocks without their transactions. Stored blocks stay unchanged.
 *
 * @returns the slots of the inserted blocks
 */
export async function insertBlocks(manager: EntityManager, slots: readonly SlotEvents[]): Promise<Set<number>> {
  const [inserted] = await manager.query<{ slots: string[] }[]>(INSERT_BLOCKS, [
    slots.map(({ slot }) => slot),
    slots.map(({ parentSlot }) => parentSlot),
    slots.map(({ blockhash }) => blockhash),
    slots.map(({ parentBlockhash }) => parentBlockhash),
    slots.map(({ blockTime }) => blockTime),
    slots.map(({ blockHeight }) => blockHeight),
    slots.map(mayChangeTrees),
  ]);
  return new Set(inserted.slots.map(Number));
}

/**
 * Ends a transaction that has inserted blocks. Its failure is a conflict with the writer that advances the indexed slot: in
 * the next attempt the block is not inserted.
 */
export async function requireAboveIndex(manager: EntityManager, inserted: readonly number[]): Promise<void> {
  if (inserted.length > 0) await manager.query(`SELECT require_above_index($1)`, [Math.min(...inserted)]);
}

export const OLD_SLOTS = `
  SELECT list.slot,
    EXISTS (SELECT FROM transactions t WHERE t.id >= list.slot << 16 AND t.id < (list.slot + 1) << 16)
      OR EXISTS (SELECT FROM dead_letters d WHERE d.slot = list.slot) AS has_transactions
  FROM unnest($1::bigint[]) AS list (slot), indexer_state s
  WHERE list.slot >= s.first_slot AND list.slot < (SELECT min(slot) FROM blocks)`;

/**
 * Finds those of the slots that are in the index, and whose blocks are deleted by now: they are before the oldest stored block.
 *
 * @returns for each, whether transactions are stored for it
 */
export async function findOldSlots(
  manager: EntityManager,
  slots: readonly number[],
): Promise<ReadonlyMap<number, boolean>> {
  if (slots.length === 0) return new Map();
  const rows = await manager.query<{ slot: string; has_transactions: boolean }[]>(OLD_SLOTS, [slots]);
  return new Map(rows.map(({ slot, has_transactions: hasTransactions }) => [Number(slot), hasTransactions]));
}

export const STORED_BLOCKHASHES = `SELECT slot, blockhash FROM blocks WHERE slot = ANY ($1::bigint[])`;

/** Returns the stored blockhash of each slot. */
export async function findBlockhashes(
  manager: EntityManager,
  slots: readonly number[],
): Promise<ReadonlyMap<number, Buffer>> {
  const rows = await manager.query<{ slot: string; blockhash: Buffer }[]>(STORED_BLOCKHASHES, [slots]);
  return new Map(rows.map(({ slot, blockhash }) => [Number(slot), blockhash]));
}

export const STORED_BLOCKS = `
  SELECT b.slot, b.blockhash, b.parent_slot, b.parent_blockhash FROM blocks b
  JOIN unnest($1::bigint[], $2::bytea[]) AS list (slot, blockhash) ON list.slot = b.slot AND list.blockhash = b.blockhash`;

/** Columns of a block and its parent. */
export interface BlockLinkRow {
  slot: string;
  blockhash: Buffer;
  parent_slot: string;
  parent_blockhash: Buffer;
}

export function toBlockLink(row: BlockLinkRow): BlockLink {
  return {
    slot: toSlot(Number(row.slot)),
    blockhash: toHash(row.blockhash),
    parentSlot: toSlot(Number(row.parent_slot)),
    parentBlockhash: toHash(row.parent_blockhash),
  };
}

/** Returns those of the blocks that are stored, each once. */
export async function findStoredBlocks(manager: EntityManager, blocks: readonly BlockRef[]): Promise<BlockLink[]> {
  const rows = await manager.query<BlockLinkRow[]>(STORED_BLOCKS, [
    blocks.map(({ slot }) => slot),
    blocks.map(({ blockhash }) => blockhash),
  ]);
  return [...new Map(rows.map((row) => [row.slot, toBlockLink(row)])).values()];
}

/** Finds the slots of stored blocks below a slot. */
export async function findSlotsBelow(manager: EntityManager, slot: number): Promise<number[]> {
  const rows = await manager.query<{ slot: string }[]>(`SELECT slot FROM blocks WHERE slot < $1`, [slot]);
  return rows.map(({ slot }) => Number(slot));
}

const MARK_TREE_CHANGES = `
  UPDATE blocks SET changes_trees = true WHERE slot = ANY ($1::bigint[]) AND NOT changes_trees`;

/** Notes that the blocks of slots change trees. */
export async function markTreeChanges(manager: EntityManager, slots: readonly number[]): Promise<void> {
  if (slots.length > 0) await manager.query(MARK_TREE_CHANGES, [slots]);
}

export const DELETE_BLOCKS = `DELETE FROM blocks WHERE slot = ANY ($1::bigint[])`;

/** Deletes the blocks of slots. */
export async function deleteBlocks(manager: EntityManager, slots: readonly number[]): Promise<void> {
  await manager.query(DELETE_BLOCKS, [slots]);
}
