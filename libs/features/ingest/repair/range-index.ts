import { type KafkaConfig } from '@fresnel/adapters/bus';
import { KAFKA_CONNECTION } from '@fresnel/adapters/bus/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { type Slot } from '@fresnel/domain/primitives';
import { LOGGER, type Logger } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { requireReadLogs } from '../follow/log-positions';

/** The index to which a range is published. */
export interface RangeIndex {
  /**
   * The first slot of the index; null before ingest has published it.
   *
   * @throws a permanent error when the index belongs to another chain, or has been read from other topics
   */
  findFirstSlot(chain: string, signal: AbortSignal): Promise<Slot | null>;
}

/** The index that the projectors have stored in Postgres. */
@Injectable()
export class PostgresRangeIndex implements RangeIndex {
  constructor(
    @Inject(KAFKA_CONNECTION) private readonly config: KafkaConfig,
    private readonly database: Database,
    private readonly store: ProjectionStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws OtherChainError, StoreUnavailableError, OffsetOutOfRangeError */
  async findFirstSlot(chain: string, signal: AbortSignal): Promise<Slot | null> {
    await this.database.open();
    await this.store.claimChain(chain);
    await requireReadLogs(this.config, this.store, this.logger, signal);
    return this.store.findFirstSlot();
  }
}
