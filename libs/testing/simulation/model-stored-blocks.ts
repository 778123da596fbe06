import { type IndexedBlock } from '@fresnel/adapters/store-write';
import { type InMemoryTreeStore, type RecentBlock } from '@fresnel/adapters/tree-store';
import { type BlockRef } from '@fresnel/domain/chain';
import { PUBLISHED_BLOCK_WINDOW, type StoredBlock, type StoredBlocks } from '@fresnel/features/ingest';
import { type ModelTables } from './model-tables';

type Read = <Result>(name: string, read: () => Result | Promise<Result>) => Promise<Result>;

/** What modelled tables and trees in memory have stored, as `PostgresStoredBlocks` finds it. */
export class ModelStoredBlocks implements StoredBlocks {
  constructor(
    private readonly tables: ModelTables,
    private readonly trees: InMemoryTreeStore,
    private readonly read: Read,
  ) {}

  findIndexed(upTo = Number.MAX_SAFE_INTEGER): Promise<IndexedBlock[]> {
    return this.read('indexed blocks', () =>
      this.tables.findIndexedBlocks({ from: 0, to: upTo, limit: PUBLISHED_BLOCK_WINDOW }),
    );
  }

  hasAfter(slot: number): Promise<boolean> {
    const { blocks, orphaned } = this.tables;
    return this.read('blocks after', () =>
      [...blocks.values(), ...orphaned.values()].some((block) => block.slot > slot),
    );
  }

  findBetween(after: number, upTo: number): Promise<StoredBlock[]> {
    const isBetween = ({ slot }: BlockRef) => slot > after && slot <= upTo;
    return this.read('blocks between', async () => {
      const stored = [...this.tables.blocks.values()].map((block): StoredBlock => ({ ...block, state: 'stored' }));
      const orphaned = [...this.tables.orphaned.values()].map((block): StoredBlock => ({
        ...block,
        state: 'orphaned',
      }));
      return [...stored, ...orphaned, ...(await this.treeBlocks())].filter(isBetween);
    });
  }

  listTreeBlocks(): Promise<RecentBlock[][]> {
    return this.read('blocks of trees', async () => [[...(await this.treeBlocks())]]);
  }

  findSuspects(): Promise<BlockRef[]> {
    return this.read('suspects', async () => {
      const [first, last] = [this.tables.indexed.at(0)?.slot ?? Infinity, this.tables.tip?.slot ?? -1];
      const suspects = (await this.treeBlocks()).filter((block) => {
        if (block.state === 'refused') return true;
        const isPassed = block.slot >= first && block.slot <= last;
        return isPassed && (block.state === 'admitted') !== this.tables.isIndexed(block);
      });
      return suspects
        .filter((block) => block.state !== 'orphaned' || this.tables.isIndexed(block))
        .sort((a, b) => a.slot - b.slot);
    });
  }

  private async treeBlocks(): Promise<readonly RecentBlock[]> {
    return (await this.trees.claimPartition(0, 1)).blocks;
  }
}
