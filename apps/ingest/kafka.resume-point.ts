import {
  findLogRanges,
  type KafkaConfig,
  type PublishedRecord,
  readLast,
  startOffset,
  topicNameOf,
} from '@fresnel/adapters/bus';
import { KAFKA_CONNECTION } from '@fresnel/adapters/bus/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeJournal } from '@fresnel/adapters/tree-store';
import { PROJECTOR_GROUP, PROVER_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import {
  PUBLISHED_BLOCK_WINDOW,
  readResumeState,
  selectForResume,
  selectTreeForResume,
  readStoredState,
  type ResumePoint,
  type ResumeState,
  type TreeProgress,
} from '@fresnel/features/ingest';
import { LOGGER, type Logger, retryUntilAvailable } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';

/** Records of slot-events that are read per partition: enough to find the newest block and recent reverts. */
const SLOT_RECORDS = 64;
/** Records of tree-updates that are read per partition at first: more than a fork reverts. */
const TREE_RECORDS = 128;
/** Slots may have many updates. Beyond this limit, a shorter history is accepted. */
const MAX_TREE_RECORDS = 8_192;

/** The topics and their consumers. */
const CONSUMERS = [
  { topic: SLOT_EVENTS, group: PROJECTOR_GROUP },
  { topic: TREE_UPDATES, group: PROVER_GROUP },
];

/**
 * Resumes after the newest block in Kafka that is in both topics. If the topics have no block, because their records have
 * expired or were lost, resumes after the newest block in Postgres that tables and trees have applied.
 */
@Injectable()
export class KafkaResumePoint implements ResumePoint {
  constructor(
    @Inject(KAFKA_CONNECTION) private readonly config: KafkaConfig,
    private readonly database: Database,
    private readonly store: ProjectionStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Waits while Postgres is unreachable.
   *
   * @throws OtherChainError when the database belongs to another chain, OffsetOutOfRangeError when a topic ends before the
   * position of its consumers: it is another topic than the one that they have read
   */
  async find(chain: string, signal: AbortSignal): Promise<ResumeState> {
    const claim = async () => {
      await this.database.open();
      await this.store.claimChain(chain);
    };
    await this.whileUnavailable(claim, signal);
    const hasConsumers = await this.checkPositions(signal);
    const state = await this.readTopics(signal);
    const isEmpty = state.published.length === 0 && state.partiallyPublished.length === 0;
    if (!isEmpty || !hasConsumers) return state;
    const stored = await this.whileUnavailable(() => this.readStored(), signal);
    const slot = stored.published.at(-1)?.slot ?? null;
    this.logger.warn({ slot }, 'Kafka has no published block: ingest resumes after the newest one that is stored');
    return stored;
  }

  /** @returns whether consumers have read from the topics */
  private async checkPositions(signal: AbortSignal): Promise<boolean> {
    let count = 0;
    for (const { topic, group } of CONSUMERS) {
      const key = { consumerGroup: group, topic: topicNameOf(this.config, topic) };
      // Positions first: a consumer that runs moves on meanwhile.
      const positions = await this.whileUnavailable(() => this.store.findPositions(key), signal);
      const ranges = await findLogRanges(this.config, topic, this.logger, signal);
      for (const [partition, position] of positions) {
        const end = ranges.get(partition)?.end ?? 0n;
        // Records that expired are a matter of the consumer alone.
        startOffset(position, { start: 0n, end }, { group, topic: key.topic, partition });
      }
      count += positions.size;
    }
    return count > 0;
  }

  private async readStored(): Promise<ResumeState> {
    const topic = topicNameOf(this.config, TREE_UPDATES);
    const journal = new PostgresTreeJournal(this.database.dataSource, topic);
    const positions = await this.store.findPositions({ consumerGroup: PROVER_GROUP, topic });
    const partitions: TreeProgress[] = [];
    for (const partition of positions.keys()) partitions.push(await journal.readPartition(partition));
    return readStoredState(this.store, partitions);
  }

  private async whileUnavailable<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const result = await retryUntilAvailable(async () => ({ value: await read() }), { signal, logger: this.logger });
    signal.throwIfAborted();
    if (!result) throw signal.reason;
    return result.value;
  }

  private async readTopics(signal: AbortSignal): Promise<ResumeState> {
    const slots = toMessages(
      await readLast(this.config, SLOT_EVENTS, SLOT_RECORDS, selectForResume, this.logger, signal),
    );
    for (let count = TREE_RECORDS; ; count *= 4) {
      const records = await readLast(this.config, TREE_UPDATES, count, selectTreeForResume, this.logger, signal);
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
