import { type IndexedBlock, type ProjectionStore } from '@fresnel/adapters/store-write';
import { type PostgresTreeReads, type RecentBlock } from '@fresnel/adapters/tree-store';
import { type BlockRef } from '@fresnel/domain/chain';
import { PUBLISHED_BLOCK_WINDOW } from '../follow/resume-point';

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

/** The blocks that projectors and provers have stored in Postgres. */
export class PostgresStoredBlocks implements StoredBlocks {
  constructor(
    private readonly store: ProjectionStore,
    private readonly trees: Pick<PostgresTreeReads, 'listPartitions'>,
  ) {}

  findIndexed(upTo = Number.MAX_SAFE_INTEGER): Promise<IndexedBlock[]> {
    return this.store.findIndexedBlocks({ from: 0, to: upTo, limit: PUBLISHED_BLOCK_WINDOW });
  }

  async hasAfter(slot: number): Promise<boolean> {
    const { above } = await this.store.findIndexEnd(1);
    return above.length > 0 || (await this.store.findOrphanedBlocks(slot + 1)).length > 0;
  }

  async findBetween(after: number, upTo: number): Promise<StoredBlock[]> {
    const inTables = await this.store.findNamedBlocks(after, upTo);
    const inTrees = (await this.listTreeBlocks()).flat().filter(({ slot }) => slot > after && slot <= upTo);
    return [...inTables, ...inTrees];
  }

  async listTreeBlocks(): Promise<RecentBlock[][]> {
    return [...(await this.trees.listPartitions()).values()].map(({ blocks }) => [...blocks]);
  }

  async findSuspects(): Promise<BlockRef[]> {
    const inTrees = (await this.listTreeBlocks()).flat();
    const ofState = (wanted: RecentBlock['state']) => inTrees.filter(({ state }) => state === wanted);
    const contradictions = await this.store.findContradictions({
      applied: ofState('admitted'),
      reverted: ofState('orphaned'),
    });
    return [...contradictions, ...ofState('refused')].sort((a, b) => a.slot - b.slot);
  }
}
