import { Database, whileAvailable } from '@fresnel/adapters/store-schema';
import { type IndexedBlock, ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads, type RecentBlock } from '@fresnel/adapters/tree-store';
import { type BlockRef } from '@fresnel/domain/chain';
import { toHash, toSlot } from '@fresnel/domain/primitives';
import { PUBLISHED_BLOCK_WINDOW, type StoredBlock, type StoredBlocks } from '@fresnel/features/ingest';
import { Injectable } from '@nestjs/common';

interface Row {
  slot: string;
  blockhash: Buffer;
}

const BETWEEN = `
  SELECT slot, blockhash, 'stored' AS state FROM blocks WHERE slot > $1 AND slot <= $2
  UNION ALL
  SELECT slot, blockhash, 'orphaned' FROM orphaned_blocks WHERE slot > $1 AND slot <= $2`;

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

/** The blocks that projectors and provers have stored in Postgres. */
@Injectable()
export class PostgresStoredBlocks implements StoredBlocks {
  constructor(
    private readonly database: Database,
    private readonly store: ProjectionStore,
  ) {}

  /** @throws StoreUnavailableError */
  findIndexed(upTo = Number.MAX_SAFE_INTEGER): Promise<IndexedBlock[]> {
    return this.store.findIndexedBlocks({ from: 0, to: upTo, limit: PUBLISHED_BLOCK_WINDOW });
  }

  /** @throws StoreUnavailableError */
  async hasAfter(slot: number): Promise<boolean> {
    const { above } = await this.store.findIndexEnd(1);
    return above.length > 0 || (await this.store.findOrphanedBlocks(slot + 1)).length > 0;
  }

  /** @throws StoreUnavailableError */
  async findBetween(after: number, upTo: number): Promise<StoredBlock[]> {
    const rows = await this.query<Row & Pick<StoredBlock, 'state'>>(BETWEEN, [after, upTo]);
    const inTrees = (await this.listTreeBlocks()).flat().filter(({ slot }) => slot > after && slot <= upTo);
    return [...rows.map((row) => ({ ...toBlock(row), state: row.state })), ...inTrees];
  }

  /** @throws StoreUnavailableError */
  async listTreeBlocks(): Promise<RecentBlock[][]> {
    const reads = new PostgresTreeReads(this.database.dataSource.manager);
    return [...(await reads.listPartitions()).values()].map(({ blocks }) => [...blocks]);
  }

  /** @throws StoreUnavailableError */
  async findSuspects(): Promise<BlockRef[]> {
    const inTrees = (await this.listTreeBlocks()).flat();
    const [admitted, orphaned, refused] = (['admitted', 'orphaned', 'refused'] as const).map((state) =>
      inTrees.filter((block) => block.state === state),
    );
    const contradictions = await this.query<Row>(CONTRADICTIONS, [...toColumns(admitted), ...toColumns(orphaned)]);
    return [...contradictions.map(toBlock), ...refused].sort((a, b) => a.slot - b.slot);
  }

  private query<Found>(sql: string, parameters: unknown[]): Promise<Found[]> {
    return whileAvailable(() => this.database.dataSource.query<Found[]>(sql, parameters));
  }
}

function toBlock({ slot, blockhash }: Row): BlockRef {
  return { slot: toSlot(Number(slot)), blockhash: toHash(blockhash) };
}

function toColumns(blocks: readonly BlockRef[]): [number[], Buffer[]] {
  return [blocks.map(({ slot }) => slot), blocks.map(({ blockhash }) => blockhash)];
}
