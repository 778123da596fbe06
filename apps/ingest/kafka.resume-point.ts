import { countAppended, type KafkaConfig, type PublishedRecord, readLast } from '@fresnel/adapters/bus';
import { KAFKA_CONNECTION } from '@fresnel/adapters/bus/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import {
  PUBLISHED_BLOCK_WINDOW,
  readResumeState,
  type ResumePoint,
  type ResumeState,
  STORED_BLOCKS,
  type StoredBlocks,
} from '@fresnel/features/ingest';
import { LOGGER, type Logger, retryUntilAvailable } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';

/** Records of slot-events that are read per partition: enough to find the newest block and recent reverts. */
const SLOT_RECORDS = 64;
/** Records of tree-updates that are read per partition at first: more than a fork reverts. */
const TREE_RECORDS = 128;
/** Slots may have many updates. Beyond this limit, a shorter history is accepted. */
const MAX_TREE_RECORDS = 8_192;

/**
 * Resumes after the newest block in Kafka that is in both topics. If its records have expired, resumes after the newest
 * indexed block in Postgres.
 */
@Injectable()
export class KafkaResumePoint implements ResumePoint {
  constructor(
    @Inject(KAFKA_CONNECTION) private readonly config: KafkaConfig,
    private readonly database: Database,
    private readonly store: ProjectionStore,
    @Inject(STORED_BLOCKS) private readonly stored: StoredBlocks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Waits while Postgres is unreachable. @throws OtherChainError when the database belongs to another chain */
  async find(chain: string, signal: AbortSignal): Promise<ResumeState> {
    const { logger } = this;
    const claim = async () => {
      await this.database.open();
      await this.store.claimChain(chain);
    };
    await retryUntilAvailable(claim, { signal, logger });
    signal.throwIfAborted();
    const state = await this.readTopics(signal);
    if (state.published.length > 0 || state.partiallyPublished.length > 0) return state;
    if ((await countAppended(this.config, TREE_UPDATES, logger, signal)) === 0n) return state;
    const published = await retryUntilAvailable(() => this.stored.findIndexed(), { signal, logger });
    signal.throwIfAborted();
    const slot = published?.at(-1)?.slot ?? null;
    logger.warn({ slot }, 'the published blocks have expired in Kafka: ingest resumes after the newest indexed block');
    return { ...state, published: published ?? [] };
  }

  private async readTopics(signal: AbortSignal): Promise<ResumeState> {
    const slots = toMessages(await readLast(this.config, SLOT_EVENTS, SLOT_RECORDS, this.logger, signal));
    for (let count = TREE_RECORDS; ; count *= 4) {
      const records = await readLast(this.config, TREE_UPDATES, count, this.logger, signal);
      const state = readResumeState(slots, toMessages(records));
      const hasEnough = state.published.length === PUBLISHED_BLOCK_WINDOW || areFullyRead(records, count);
      if (hasEnough || count >= MAX_TREE_RECORDS) return state;
    }
  }
}

/** Whether every partition was read completely. */
function areFullyRead(records: readonly PublishedRecord<unknown>[], count: number): boolean {
  const read = new Map<number, number>();
  for (const { partition } of records) read.set(partition, (read.get(partition) ?? 0) + 1);
  return [...read.values()].every((each) => each < count);
}

function toMessages<Message>(records: readonly PublishedRecord<Message>[]): Message[] {
  return records.map(({ message }) => message);
}
