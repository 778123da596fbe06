import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { toHash, toSlot } from '@fresnel/domain/primitives';
import { type DataSource } from 'typeorm';
import { type BlockLinkRow, toBlockLink } from './blocks.statement';

interface Row {
  slot: string;
  blockhash: Buffer;
}

/** Newest first. */
const INDEXED_BLOCKS = `
  SELECT b.slot, b.blockhash, b.parent_slot, b.parent_blockhash FROM blocks b, indexer_state s
  WHERE b.slot BETWEEN s.first_slot AND s.indexed_slot AND b.slot BETWEEN $1 AND $2 ORDER BY b.slot DESC LIMIT $3`;

/**
 * Finds stored blocks between the first and the indexed slot.
 *
 * @returns the `limit` newest blocks from slot `from` to slot `to`, both included, oldest first
 */
export async function findIndexedBlocks(
  dataSource: DataSource,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<BlockLink[]> {
  const rows = await dataSource.query<BlockLinkRow[]>(INDEXED_BLOCKS, [from, to, limit]);
  return rows.reverse().map(toBlockLink);
}

const UNCHANGED_UP_TO = `
  SELECT coalesce(
    (SELECT min(slot) - 1 FROM blocks WHERE changes_trees AND slot > $1),
    (SELECT greatest(indexed_slot, $1::bigint) FROM indexer_state)) AS slot
  WHERE EXISTS (SELECT FROM blocks WHERE slot <= $1)`;

/**
 * Finds the slot up to which no stored block changes a tree after a slot: trees that are applied up to that slot are applied
 * up to this one.
 *
 * @returns `after` itself if the blocks after it are deleted by now
 */
export async function findUnchangedUpTo(dataSource: DataSource, after: number): Promise<number> {
  const rows = await dataSource.query<{ slot: string }[]>(UNCHANGED_UP_TO, [after]);
  return Number(rows.at(0)?.slot ?? after);
}

/** Finds orphaned blocks from a slot on. */
export async function findOrphanedBlocks(dataSource: DataSource, from: number): Promise<BlockRef[]> {
  const rows = await dataSource.query<Row[]>(`SELECT slot, blockhash FROM orphaned_blocks WHERE slot >= $1`, [from]);
  return rows.map(toBlock);
}

function toBlock({ slot, blockhash }: Row): BlockRef {
  return { slot: toSlot(Number(slot)), blockhash: toHash(blockhash) };
}
