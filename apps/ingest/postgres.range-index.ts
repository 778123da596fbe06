import { Database } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { type Slot } from '@fresnel/domain/primitives';
import { type RangeIndex } from '@fresnel/features/ingest';
import { Injectable } from '@nestjs/common';

/** The index that the projectors have stored in Postgres. */
@Injectable()
export class PostgresRangeIndex implements RangeIndex {
  constructor(
    private readonly database: Database,
    private readonly store: ProjectionStore,
  ) {}

  /** @throws OtherChainError, StoreUnavailableError */
  async findFirstSlot(chain: string): Promise<Slot | null> {
    await this.database.open();
    await this.store.claimChain(chain);
    return this.store.findFirstSlot();
  }
}
