import { ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { Inject, Injectable } from '@nestjs/common';
import { readStoredState } from './read-stored-state';
import { type ResumePoint, type ResumeState } from './resume-point';

/** Tables and trees are in one database. Ingest resumes after the newest slot that both have applied. */
@Injectable()
export class StoredResumePoint implements ResumePoint {
  constructor(
    private readonly store: ProjectionStore,
    @Inject(PostgresTreeReads) private readonly trees: Pick<PostgresTreeReads, 'listPartitions'>,
  ) {}

  async find(chain: string): Promise<ResumeState> {
    await this.store.claimChain(chain);
    return readStoredState(this.store, [...(await this.trees.listPartitions()).values()]);
  }
}
