import { Database, whileAvailable } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { type BlockLink } from '@fresnel/domain/chain';
import { type Slot, toHash, toSlot } from '@fresnel/domain/primitives';
import { PUBLISHED_BLOCK_WINDOW, type StoredBlocks } from '@fresnel/features/ingest';
import { Injectable } from '@nestjs/common';

interface Row {
  slot: string;
  blockhash: Buffer;
  parent_slot: string;
  parent_blockhash: Buffer;
}

const BLOCKS_AFTER = `
  SELECT slot, blockhash, parent_slot, parent_blockhash FROM blocks WHERE slot > $1 ORDER BY slot LIMIT $2`;

/** The blocks that the projectors have stored in Postgres. */
@Injectable()
export class PostgresStoredBlocks implements StoredBlocks {
  constructor(
    private readonly database: Database,
    private readonly store: ProjectionStore,
  ) {}

  /** @throws StoreUnavailableError */
  findIndexed(): Promise<BlockLink[]> {
    return this.store.findIndexedBlocks({ from: 0, to: Number.MAX_SAFE_INTEGER, limit: PUBLISHED_BLOCK_WINDOW });
  }

  /** @throws StoreUnavailableError */
  async findAfter(slot: Slot, limit: number): Promise<BlockLink[]> {
    const rows = await whileAvailable(() => this.database.dataSource.query<Row[]>(BLOCKS_AFTER, [slot, limit]));
    return rows.map((row) => ({
      slot: toSlot(Number(row.slot)),
      blockhash: toHash(row.blockhash),
      parentSlot: toSlot(Number(row.parent_slot)),
      parentBlockhash: toHash(row.parent_blockhash),
    }));
  }
}
