import { type IndexedBlock } from '@fresnel/adapters/store-write';
import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { type BlockRef } from '@fresnel/domain/chain';

/** Injection token: the blocks that consumers have stored; null if they cannot differ from the published ones. */
export const STORED_BLOCKS = Symbol('StoredBlocks');

/** A block that tables or trees name. */
export interface StoredBlock extends BlockRef {
  /**
   * `stored`: in tables. `admitted`: its records are applied in a partition of trees. `refused`: they could not be applied there.
   * `orphaned`: it was reverted.
   */
  state: 'stored' | 'admitted' | 'refused' | 'orphaned';
}

/** The blocks that consumers have stored. Retryable errors mean that the store is not available. */
export interface StoredBlocks {
  /** The newest indexed blocks at or below a slot, linked, newest last; at most `PUBLISHED_BLOCK_WINDOW`. */
  findIndexed(upTo?: number): Promise<IndexedBlock[]>;

  /** Whether tables name a block after the newest indexed one, also an orphaned one. @param slot of the indexed block */
  hasAfter(slot: number): Promise<boolean>;

  /** What tables and trees name between two slots, the first excluded. */
  findBetween(after: number, upTo: number): Promise<StoredBlock[]>;

  /** The recent blocks of each partition of trees. */
  listTreeBlocks(): Promise<RecentBlock[][]>;

  /**
   * Blocks about which trees contradict the indexed branch, lowest first: those that trees have applied and that are not on it,
   * those on it that trees have reverted, and refused ones.
   */
  findSuspects(): Promise<BlockRef[]>;
}
