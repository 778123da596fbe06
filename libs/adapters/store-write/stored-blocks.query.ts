import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { toHash, toSlot } from '@fresnel/domain/primitives';
import { type DataSource } from 'typeorm';
import { type BlockLinkRow, toBlockLink } from './blocks.statement';

interface Row {
  slot: string;
  blockhash: Buffer;
}

/** A block of the indexed branch. */
export interface IndexedBlock extends BlockLink {
  changesTrees: boolean;
}

/** Newest first. */
const INDEXED_BLOCKS = `
  SELECT b.slot, b.blockhash, b.parent_slot, b.parent_blockhash, b.changes_trees FROM blocks b, indexer_state s
  WHERE b.slot BETWEEN s.first_slot AND s.indexed_slot AND b.slot BETWEEN $1 AND $2 ORDER BY b.slot DESC LIMIT $3`;

/**
 * Finds blocks of the indexed branch.
 *
 * @returns the `limit` newest blocks from slot `from` to slot `to`, both included, oldest first
 */
export async function findIndexedBlocks(
  dataSource: DataSource,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<IndexedBlock[]> {
  const rows = await dataSource.query<(BlockLinkRow & { changes_trees: boolean })[]>(INDEXED_BLOCKS, [from, to, limit]);
  return rows.reverse().map((row) => ({ ...toBlockLink(row), changesTrees: row.changes_trees }));
}

/** Why the index stands where it does. */
export interface IndexEnd {
  /** The newest indexed block; null if nothing is indexed. */
  indexed: BlockRef | null;
  /**
   * The stored blocks above it, oldest first. The index advances to the first one once it is the only child of the indexed
   * block. It is not while a block between the two is missing, while the indexed block has another child, or if the first one
   * is on another branch.
   */
  above: BlockLink[];
}

export const INDEX_END = `
  SELECT s.indexed_slot, (SELECT b.blockhash FROM blocks b WHERE b.slot = s.indexed_slot) AS indexed_blockhash, above.*
  FROM indexer_state s LEFT JOIN LATERAL (
    SELECT b.slot, b.blockhash, b.parent_slot, b.parent_blockhash FROM blocks b
    WHERE b.slot > coalesce(s.indexed_slot, -1) ORDER BY b.slot LIMIT $1
  ) above ON true
  ORDER BY above.slot`;

type IndexEndRow = { indexed_slot: string | null; indexed_blockhash: Buffer | null } & (BlockLinkRow | { slot: null });

/** Finds the newest indexed block, and the `limit` oldest stored blocks above it. */
export async function findIndexEnd(dataSource: DataSource, limit: number): Promise<IndexEnd> {
  const rows = await dataSource.query<IndexEndRow[]>(INDEX_END, [limit]);
  const { indexed_slot: slot, indexed_blockhash: blockhash } = rows[0];
  return {
    indexed: slot !== null && blockhash !== null ? toBlock({ slot, blockhash }) : null,
    above: rows.flatMap((row) => (row.slot === null ? [] : [toBlockLink(row)])),
  };
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

/** A block that the tables have stored, or have reverted. */
export interface NamedBlock extends BlockRef {
  state: 'stored' | 'orphaned';
}

const NAMED_BLOCKS = `
  SELECT slot, blockhash, 'stored' AS state FROM blocks WHERE slot > $1 AND slot <= $2
  UNION ALL
  SELECT slot, blockhash, 'orphaned' FROM orphaned_blocks WHERE slot > $1 AND slot <= $2`;

/** Finds stored and orphaned blocks between two slots, the first excluded. */
export async function findNamedBlocks(dataSource: DataSource, after: number, upTo: number): Promise<NamedBlock[]> {
  const rows = await dataSource.query<(Row & Pick<NamedBlock, 'state'>)[]>(NAMED_BLOCKS, [after, upTo]);
  return rows.map((row) => ({ ...toBlock(row), state: row.state }));
}

/**
 * Blocks of trees between the oldest and the newest indexed block: applied ones ($1, $2) that are not indexed, and reverted ones ($3,
 * $4) that are.
 */
const CONTRADICTIONS = `
  WITH indexed AS MATERIALIZED (
    SELECT b.slot, b.blockhash FROM blocks b, indexer_state s WHERE b.slot BETWEEN s.first_slot AND s.indexed_slot
  ),
  in_trees AS (
    SELECT slot, blockhash, true AS is_applied FROM unnest($1::bigint[], $2::bytea[]) AS list (slot, blockhash)
    UNION SELECT slot, blockhash, false FROM unnest($3::bigint[], $4::bytea[]) AS list (slot, blockhash)
  )
  SELECT slot, blockhash FROM in_trees
  WHERE slot BETWEEN (SELECT min(slot) FROM indexed) AND (SELECT max(slot) FROM indexed)
    AND is_applied <> EXISTS (SELECT FROM indexed i WHERE i.slot = in_trees.slot AND i.blockhash = in_trees.blockhash)`;

/** The recent blocks of trees. */
export interface TreeBlocks {
  applied: readonly BlockRef[];
  reverted: readonly BlockRef[];
}

/** Finds the blocks of trees that contradict the indexed branch. */
export async function findContradictions(
  dataSource: DataSource,
  { applied, reverted }: TreeBlocks,
): Promise<BlockRef[]> {
  const columns = [applied, reverted].flatMap((blocks) => [
    blocks.map(({ slot }) => slot),
    blocks.map(({ blockhash }) => blockhash),
  ]);
  return (await dataSource.query<Row[]>(CONTRADICTIONS, columns)).map(toBlock);
}

/** Blocks below the kept ones are final, and their transactions have their time. */
const BLOCK_TIMES = `
  WITH RECURSIVE line AS (
    SELECT slot, parent_slot, parent_blockhash, block_time, 1 AS place FROM blocks WHERE slot = $1 AND blockhash = $2
    UNION ALL
    SELECT b.slot, b.parent_slot, b.parent_blockhash, b.block_time, place + 1
    FROM line l JOIN blocks b ON b.slot = l.parent_slot AND b.blockhash = l.parent_blockhash
    WHERE l.place < $3 AND b.slot < l.slot
  ),
  of_transactions AS (
    SELECT block_time, 1 AS place FROM transactions
    WHERE id >= $1::bigint << 16 AND id < ($1::bigint + 1) << 16
      AND $1 < (SELECT indexed_slot FROM indexer_state) AND NOT EXISTS (SELECT FROM blocks WHERE slot = $1)
    LIMIT 1
  )
  SELECT block_time FROM (SELECT block_time, place FROM line UNION ALL SELECT * FROM of_transactions) AS list ORDER BY place`;

/**
 * Finds the time of a block, followed by those of its ancestors, newest first.
 *
 * @returns at most `limit` times; empty if the block is not stored
 */
export async function findBlockTimes(dataSource: DataSource, block: BlockRef, limit: number): Promise<number[]> {
  const rows = await dataSource.query<{ block_time: string }[]>(BLOCK_TIMES, [block.slot, block.blockhash, limit]);
  return rows.map(({ block_time: time }) => Number(time));
}

function toBlock({ slot, blockhash }: Row): BlockRef {
  return { slot: toSlot(Number(slot)), blockhash: toHash(blockhash) };
}
