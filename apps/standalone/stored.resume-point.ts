import { ProjectionStore } from '@fresnel/adapters/store-write';
import { TREE_STORE, type TreeStore } from '@fresnel/adapters/tree-store';
import { readStoredState, type ResumePoint, type ResumeState } from '@fresnel/features/ingest';
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
    const trees = { slot: await this.trees.findSlot(), blocks: await this.trees.readBlocks(0) };
    return readStoredState(this.store, [trees]);
  }
}
