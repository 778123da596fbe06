import { type PublishedRecord, readRecords, topicNameOf } from '@fresnel/adapters/bus';
import { KAFKA_CONNECTION, type KafkaConnection } from '@fresnel/adapters/bus/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { PROVER_GROUP, SLOT_EVENTS, type SlotEventsMessage, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type BlockLink, blockLinkOf, type BlockRef } from '@fresnel/domain/chain';
import { LOGGER, type Logger, retryUntilAvailable } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { findResumeState } from './find-resume-state';
import { requireReadLogs } from './log-positions';
import {
  readResumeState,
  type ResumeSlotMessage,
  type ResumeTreeMessage,
  selectForResume,
  selectTreeForResume,
  withoutAdopted,
} from './read-resume-state';
import { readStoredState, type TreeProgress } from './read-stored-state';
import { PUBLISHED_BLOCK_WINDOW, type ResumePoint, type ResumeState } from './resume-point';

/** Records of slot-events that are read per partition at first: enough to find the newest block and recent reverts. */
const SLOT_RECORDS = 64;
/** Records of tree-updates that are read per partition at first: more than a fork reverts. */
const TREE_RECORDS = 128;
/** Slots may have many updates, and records of ranges come between others. Beyond these limits, a shorter history is accepted. */
const MAX_TREE_RECORDS = 8_192;
const MAX_SLOT_RECORDS = 1_024;

/**
 * Resumes after the newest block in Kafka that is in both topics, or after the newest one in Postgres that tables and trees have
 * applied, as `findResumeState` decides.
 */
@Injectable()
export class KafkaResumePoint implements ResumePoint {
  constructor(
    @Inject(KAFKA_CONNECTION) private readonly config: KafkaConnection,
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
    const hasConsumers = await this.whileUnavailable(
      () => requireReadLogs(this.config, this.store, this.logger, signal),
      signal,
    );
    if (!hasConsumers) return this.readTopics(signal);
    const sources = {
      readTopics: () => this.readTopics(signal),
      readStored: () => this.whileUnavailable(() => this.readStored(), signal),
      readOldest: () => this.readOldest(signal),
      findNewestIndexed: () => this.findNewestIndexed(signal),
    };
    return findResumeState(sources, this.logger);
  }

  private async readOldest(signal: AbortSignal): Promise<BlockLink[]> {
    const topicName = topicNameOf(this.config, SLOT_EVENTS);
    const generation = await this.whileUnavailable(() => this.config.findGeneration(topicName), signal);
    const select = (message: SlotEventsMessage) =>
      message.kind === 'slot' && !message.isOfRange ? blockLinkOf(message.events) : null;
    const records = await readRecords(
      this.config,
      SLOT_EVENTS,
      { count: SLOT_RECORDS, end: 'oldest', select, generation },
      this.logger,
      signal,
    );
    return records.flatMap(({ message }) => message ?? []);
  }

  private async findNewestIndexed(signal: AbortSignal): Promise<BlockRef | undefined> {
    const newest = { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 };
    return (await this.whileUnavailable(() => this.store.findIndexedBlocks(newest), signal)).at(0);
  }

  private async readStored(): Promise<ResumeState> {
    const topic = topicNameOf(this.config, TREE_UPDATES);
    const positions = await this.store.findPositions({ consumerGroup: PROVER_GROUP, topic });
    const applied = await new PostgresTreeReads(this.database.dataSource.manager).listPartitions();
    const none: TreeProgress = { slot: null, blocks: [] };
    return readStoredState(
      this.store,
      [...positions.keys()].map((partition) => applied.get(partition) ?? none),
    );
  }

  private async whileUnavailable<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const result = await retryUntilAvailable(async () => ({ value: await read() }), { signal, logger: this.logger });
    signal.throwIfAborted();
    if (!result) throw signal.reason;
    return result.value;
  }

  private async readTopics(signal: AbortSignal): Promise<ResumeState> {
    const [slotGeneration, treeGeneration] = await this.whileUnavailable(
      () =>
        Promise.all(
          [SLOT_EVENTS, TREE_UPDATES].map((topic) => this.config.findGeneration(topicNameOf(this.config, topic))),
        ),
      signal,
    );
    const { config, logger } = this;
    for (let factor = 1; ; factor *= 4) {
      const [slotCount, treeCount] = [Math.min(factor * SLOT_RECORDS, MAX_SLOT_RECORDS), factor * TREE_RECORDS];
      const slots = await readRecords(
        config,
        SLOT_EVENTS,
        { end: 'newest', count: slotCount, select: selectForResume, generation: slotGeneration },
        logger,
        signal,
      );
      const trees = await readRecords(
        config,
        TREE_UPDATES,
        { end: 'newest', count: treeCount, select: selectTreeForResume, generation: treeGeneration },
        logger,
        signal,
      );
      const state = readResumeState(toMessages(slots), toMessages(trees));
      const areRead = areFullyRead(slots, slotCount) && areFullyRead(trees, treeCount);
      const hasEnough = state.published.length === PUBLISHED_BLOCK_WINDOW || areRead;
      if (hasEnough || treeCount >= MAX_TREE_RECORDS) return state;
    }
  }
}

/** Whether every partition was read completely. */
function areFullyRead(records: readonly PublishedRecord<unknown>[], count: number): boolean {
  const read = new Map<number, number>();
  for (const { partition } of records) read.set(partition, (read.get(partition) ?? 0) + 1);
  return [...read.values()].every((each) => each < count);
}

/** @param records by partition, in the order of their offsets */
function toMessages<Message extends ResumeSlotMessage | ResumeTreeMessage>(
  records: readonly PublishedRecord<Message>[],
): Message[] {
  const partitions = [...new Set(records.map(({ partition }) => partition))];
  return partitions.flatMap((each) =>
    withoutAdopted(records.filter(({ partition }) => partition === each).map(({ message }) => message)),
  );
}
