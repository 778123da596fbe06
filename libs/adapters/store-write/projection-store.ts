import {
  claimPosition,
  encodeInTurns,
  findPosition,
  findPositions,
  type PositionKey,
  type TransactionJsonEncoder,
  whileAvailable,
} from '@fresnel/adapters/store-schema';
import { type ClaimedPosition } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { FresnelError, type Slot, toSlot } from '@fresnel/domain/primitives';
import { inSpan } from '@fresnel/platform';
import { type DataSource } from 'typeorm';
import { storeChainTip } from './chain-tip.statement';
import {
  findBlockTimes,
  findContradictions,
  findIndexedBlocks,
  findIndexEnd,
  findNamedBlocks,
  findOrphanedBlocks,
  findUnchangedUpTo,
  type IndexedBlock,
  type IndexEnd,
  type NamedBlock,
  type TreeBlocks,
} from './stored-blocks.query';
import { advanceIndexedSlot } from './indexed-slot.statement';
import { type OnConflict, retryConflicts } from './retry-conflicts';
import { type PersistedBatch, type SlotBatch } from './slot-batch';
import { type WriteOptions, writeSlots } from './write-slots';

/** The database contains the data of another chain than the source serves. */
export class OtherChainError extends FresnelError {
  readonly code = 'other-chain';
  readonly isRetryable = false;
}

/** Writes slots and positions to the database. */
export class ProjectionStore {
  private readonly options: WriteOptions;
  /** A move of the indexed slot that no batch has waited for yet. The next batch throws its error. */
  private advancing: Promise<number | null> = Promise.resolve(null);

  constructor(
    private readonly dataSource: DataSource,
    onConflict: OnConflict = () => undefined,
    encodeJson: TransactionJsonEncoder = encodeInTurns,
  ) {
    this.options = { onConflict, encodeJson };
  }

  /**
   * Writes a batch in one transaction, then advances the indexed slot in another one. If another batch follows, the indexed slot
   * advances while that one is written, and this returns before; but not before it has advanced over the previous batch.
   *
   * @throws FencedError, FirstSlotRevertedError, StoreUnavailableError; other errors are bugs
   */
  persistSlots(batch: SlotBatch): Promise<PersistedBatch> {
    return whileAvailable(async () => {
      const written = await writeSlots(this.dataSource, batch, this.options);
      const indexedSlot = await this.advance(batch.isFollowed);
      if (batch.chainTip) await storeChainTip(this.dataSource, batch.chainTip);
      return { ...written, indexedSlot: indexedSlot ?? written.indexedSlot };
    });
  }

  /** Resolves when no advance of the indexed slot is in progress. */
  async waitUntilAdvanced(): Promise<void> {
    // An error is left to the consumer that claims the partition next: it advances the indexed slot first.
    await this.advancing.catch(() => undefined);
  }

  /** @returns the new indexed slot as far as it is known; null when it did not change */
  private async advance(isFollowed = false): Promise<number | null> {
    const { advancing } = this;
    this.advancing = Promise.resolve(null);
    const before = await advancing;
    const moving = this.advanceNow();
    if (!isFollowed) return (await moving) ?? before;
    moving.catch(() => undefined);
    this.advancing = moving;
    return before;
  }

  private advanceNow(): Promise<number | null> {
    return inSpan('advance indexed slot', {}, () =>
      retryConflicts(() => advanceIndexedSlot(this.dataSource), this.options.onConflict),
    );
  }

  /** The offset of the next record that a group reads in a partition; null before its first batch. */
  findPosition(key: PositionKey): Promise<bigint | null> {
    return whileAvailable(() => findPosition(this.dataSource.manager, key));
  }

  /** The positions of a group in a topic, by partition, without those partitions of which it has read nothing. */
  findPositions(key: Omit<PositionKey, 'partition'>): Promise<Map<number, bigint>> {
    return whileAvailable(() => findPositions(this.dataSource.manager, key));
  }

  /** Claims the position for the caller, and fences the consumer that claimed it before. */
  claimPosition(key: PositionKey): Promise<ClaimedPosition> {
    return whileAvailable(async () => {
      // The consumer before may have ended between its transaction and this.
      await this.advanceNow();
      return claimPosition(this.dataSource.manager, key);
    });
  }

  /** @returns the `limit` newest indexed blocks between two slots, both included, oldest first */
  findIndexedBlocks(range: { from: number; to: number; limit: number }): Promise<IndexedBlock[]> {
    return whileAvailable(() => findIndexedBlocks(this.dataSource, range));
  }

  /** Finds the newest indexed block, and the `limit` oldest stored blocks above it. */
  findIndexEnd(limit: number): Promise<IndexEnd> {
    return whileAvailable(() => findIndexEnd(this.dataSource, limit));
  }

  /** @returns the time of a block and those of its ancestors, newest first, at most `limit`; empty if it is not stored */
  findBlockTimes(block: BlockRef, limit: number): Promise<number[]> {
    return whileAvailable(() => findBlockTimes(this.dataSource, block, limit));
  }

  /** @returns the slot up to which trees are applied that are applied up to slot `after`, as far as is stored */
  findUnchangedUpTo(after: number): Promise<number> {
    return whileAvailable(() => findUnchangedUpTo(this.dataSource, after));
  }

  /** The first slot of the index; null if nothing is indexed yet. */
  async findFirstSlot(): Promise<Slot | null> {
    const [{ first_slot: slot }] = await whileAvailable(() =>
      this.dataSource.query<{ first_slot: string | null }[]>(`SELECT first_slot FROM indexer_state`),
    );
    return slot === null ? null : toSlot(Number(slot));
  }

  /** @returns the orphaned blocks from a slot on */
  findOrphanedBlocks(from: number): Promise<BlockRef[]> {
    return whileAvailable(() => findOrphanedBlocks(this.dataSource, from));
  }

  /** @returns the stored and the orphaned blocks between two slots, the first excluded */
  findNamedBlocks(after: number, upTo: number): Promise<NamedBlock[]> {
    return whileAvailable(() => findNamedBlocks(this.dataSource, after, upTo));
  }

  /** @returns the applied blocks of trees that are not on the indexed branch, and the reverted ones that are */
  findContradictions(blocks: TreeBlocks): Promise<BlockRef[]> {
    return whileAvailable(() => findContradictions(this.dataSource, blocks));
  }

  /**
   * Assigns an empty database to a chain, or checks that it belongs to this chain.
   *
   * @param genesisHash identifies the chain
   * @throws OtherChainError
   */
  async claimChain(genesisHash: string): Promise<void> {
    await whileAvailable(() =>
      this.dataSource.query(`UPDATE indexer_state SET genesis_hash = $1 WHERE genesis_hash IS NULL`, [genesisHash]),
    );
    const rows = await whileAvailable(() =>
      this.dataSource.query<{ genesis_hash: string }[]>(`SELECT genesis_hash FROM indexer_state`),
    );
    const storedHash = rows[0].genesis_hash;
    if (storedHash === genesisHash) return;
    throw new OtherChainError(
      `this database belongs to the chain with genesis ${storedHash}, but the source serves ${genesisHash}: choose another FRESNEL_DATA_DIR or DATABASE_URL`,
    );
  }
}
