import { findPosition, type PositionKey, takePosition, whileAvailable } from '@fresnel/adapters/store-schema';
import { type TakenPosition } from '@fresnel/contracts/messages';
import { FresnelError, type Slot, toHash, toSlot } from '@fresnel/domain/primitives';
import { type DataSource } from 'typeorm';
import { persistSlots } from './persist-slots';
import { type BlockRef, type PersistedBatch, type SlotBatch } from './slot-batch';

/** The database holds another chain than the source serves. */
export class OtherChainError extends FresnelError {
  readonly code = 'other-chain';
  readonly isRetryable = false;
}

/** A block that is stored, and the hash that the next one must name as its parent's. */
export type StoredBlock = BlockRef;

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
  takePosition(key: PositionKey): Promise<TakenPosition> {
    return whileAvailable(() => takePosition(this.dataSource.manager, key));
  }

  /** The newest indexed block at or below a slot; null while nothing is indexed. */
  async findIndexedBlock(atMost: Slot | null): Promise<StoredBlock | null> {
    const rows = await whileAvailable(() =>
      this.dataSource.query<{ slot: string; blockhash: Buffer }[]>(
        `SELECT b.slot, b.blockhash FROM blocks b, indexer_state s
         WHERE b.slot <= least(s.indexed_slot, $1::bigint) AND b.slot >= s.first_slot
         ORDER BY b.slot DESC LIMIT 1`,
        [atMost],
      ),
    );
    const row = rows.at(0);
    return row ? { slot: toSlot(Number(row.slot)), blockhash: toHash(row.blockhash) } : null;
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
