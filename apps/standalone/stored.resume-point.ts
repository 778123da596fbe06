import { ProjectionStore } from '@fresnel/adapters/store-write';
import { type RecentBlock, TREE_STORE, type TreeStore } from '@fresnel/adapters/tree-store';
import { blockKey } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import {
  type PartiallyPublishedBlock,
  PUBLISHED_BLOCK_WINDOW,
  type ResumePoint,
  type ResumeState,
} from '@fresnel/features/ingest';
import { Inject, Injectable } from '@nestjs/common';

/** Tables and trees are in one database. Ingest resumes after the newest slot that both have applied. */
@Injectable()
export class StoredResumePoint implements ResumePoint {
  constructor(
    private readonly store: ProjectionStore,
    @Inject(TREE_STORE) private readonly trees: Pick<TreeStore, 'findSlot' | 'readBlocks'>,
  ) {}

  async find(chain: string): Promise<ResumeState> {
    await this.store.claimChain(chain);
    const treeSlot = (await this.trees.findSlot()) ?? -1;
    const seenBlocks = await this.trees.readBlocks(0);
    const limit = PUBLISHED_BLOCK_WINDOW;
    const published = await this.store.findIndexedBlocks({ from: 0, to: treeSlot, limit });
    const inTables = await this.store.findIndexedBlocks({ from: treeSlot + 1, to: Number.MAX_SAFE_INTEGER, limit });
    const inTrees = linkFollowed(seenBlocks).filter(({ slot }) => slot > (published.at(-1)?.slot ?? -1));
    const reverted = await this.findReverted(published.at(0)?.slot ?? -1, seenBlocks);
    const isReverted = new Set(reverted.map(blockKey));
    const partiallyPublished = inTables.length > 0 ? inTables : inTrees;
    return {
      published,
      partiallyPublished: partiallyPublished.filter((block) => !isReverted.has(blockKey(block))),
      reverted,
    };
  }

  /** The blocks above a slot that tables or trees have reverted, newest first. */
  private async findReverted(after: number, seenBlocks: readonly RecentBlock[]): Promise<ResumeState['reverted']> {
    const inTables = await this.store.findOrphanedBlocks(after + 1);
    const orphaned = [...inTables, ...seenBlocks.filter(({ slot, isOrphaned }) => isOrphaned && slot > after)];
    const unique = new Map(orphaned.map(({ slot, blockhash }) => [blockKey({ slot, blockhash }), { slot, blockhash }]));
    const newestFirst = [...unique.values()].sort((a, b) => b.slot - a.slot);
    return newestFirst.map((block) => ({ kind: 'slot-reverted', ...block }));
  }
}

/** The blocks of the branch that the trees follow. Each is the child of the one before it; the parent of the first is assumed. */
function linkFollowed(seenBlocks: readonly RecentBlock[]): PartiallyPublishedBlock[] {
  const followed = seenBlocks.filter(({ isOrphaned }) => !isOrphaned);
  return followed.map(({ slot, blockhash }, at) => {
    const parentSlot = toSlot(at === 0 ? Math.max(slot - 1, 0) : followed[at - 1].slot);
    return { slot, blockhash, parentSlot };
  });
}
