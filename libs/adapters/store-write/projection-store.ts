import { findPosition, type PositionKey, claimPosition, whileAvailable } from '@fresnel/adapters/store-schema';
import { type TakenPosition } from '@fresnel/contracts/messages';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { FresnelError } from '@fresnel/domain/primitives';
import { type DataSource } from 'typeorm';
import { findOrphanedBlocks, findIndexedBlocks } from './stored-blocks.query';
import { persistSlots } from './persist-slots';
import { type PersistedBatch, type SlotBatch } from './slot-batch';

/** The database holds another chain than the source serves. */
export class OtherChainError extends FresnelError {
  readonly code = 'other-chain';
  readonly isRetryable = false;
}

/** What the writing side asks of the database. */
export class ProjectionStore {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws StalePositionError, FirstSlotRevertedError, StoreUnavailableError; anything else is a bug */
  persistSlots(batch: SlotBatch): Promise<PersistedBatch> {
    return whileAvailable(() => persistSlots(this.dataSource, batch));
  }

  /** Where a group goes on in a partition, null before its first batch. */
  findPosition(key: PositionKey): Promise<bigint | null> {
    return whileAvailable(() => findPosition(this.dataSource.manager, key));
  }

  /** The same, and from then on nobody else moves it. */
  claimPosition(key: PositionKey): Promise<TakenPosition> {
    return whileAvailable(() => claimPosition(this.dataSource.manager, key));
  }

  /** @returns the `limit` newest indexed blocks between two slots, both included, oldest first */
  findIndexedBlocks(range: { from: number; to: number; limit: number }): Promise<BlockLink[]> {
    return whileAvailable(() => findIndexedBlocks(this.dataSource, range));
  }

  /** Blocks from a slot on that were taken back, or will not be taken if they come. */
  findOrphanedBlocks(from: number): Promise<BlockRef[]> {
    return whileAvailable(() => findOrphanedBlocks(this.dataSource, from));
  }

  /**
   * Makes the database this chain's, or checks that it is.
   *
   * @param genesisHash names the chain
   * @throws OtherChainError
   */
  async claimChain(genesisHash: string): Promise<void> {
    await whileAvailable(() =>
      this.dataSource.query(`UPDATE indexer_state SET genesis_hash = $1 WHERE genesis_hash IS NULL`, [genesisHash]),
    );
    const rows = await whileAvailable(() =>
      this.dataSource.query<{ genesis_hash: string }[]>(`SELECT genesis_hash FROM indexer_state`),
    );
    const held = rows[0].genesis_hash;
    if (held === genesisHash) return;
    throw new OtherChainError(
      `this database holds the chain with genesis ${held}, the source serves ${genesisHash}: choose another FRESNEL_DATA_DIR or DATABASE_URL`,
    );
  }
}
