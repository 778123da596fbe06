import { FencedError, FIRST_GENERATION } from '@fresnel/contracts/messages';
import { type Logger, pauseAfter, remoteSpan, retry } from '@fresnel/platform';
import { every, sleep } from '@fresnel/platform/time';
import {
  type Admin,
  type Consumer as KafkaConsumer,
  type EachBatchPayload,
  KafkaJSError,
  type KafkaMessage,
} from 'kafkajs';
import { inBatchSpan, linkBatch } from './batch-span';
import { type Consumer } from './bus';
import { isKafkaError, isTransient } from './kafka-errors';
import { decodeRecord, isOutdated } from './kafka-record';
import { type ConsumerHealth } from './kafka.consumer-health';
import { type GenerationFinder } from './kafka.generation';
import { type PartitionRange, readRange, requireContiguous, startOffset } from './kafka.log-ranges';
import { OffsetCommits } from './kafka.offset-commits';
import { takeBatch } from './take-batch';

/** Dependencies that the consumers of one membership share. */
export interface ConsumerParts<Message> {
  consumer: Consumer<Message>;
  generations: { find: GenerationFinder; onSkipped: (records: number) => void };
  health: ConsumerHealth;
  kafkaConsumer: KafkaConsumer;
  admin: Admin;
  logger: Logger;
  /** Names in the cluster. */
  group: string;
  topicName: string;
}

export interface ReaderOptions {
  partition: number;
  /** Number of partitions of the topic. */
  partitionCount: number;
  heartbeatIntervalMs: number;
  retryPauseMs: number;
  /** Aborted when the partition may be reassigned, or the consumer stops. */
  stopped: AbortSignal;
  /** Claims the partition again after its consumer was fenced. */
  reclaim: () => void;
}

/**
 * The outcome of a delivery: all records were `read`, a batch is `waiting` for its retry, or the consumer was `fenced`
 * by another one.
 */
export type Outcome = 'read' | 'waiting' | 'fenced';

const COMMIT_INTERVAL_MS = 2_000;

/** Reads one partition while it is assigned, always from the consumer's position. */
export class PartitionConsumer<Message> {
  readonly partition: number;
  /** Offset of the next record; null until the partition is claimed. */
  private position: bigint | null = null;
  /** The generation of the log when the partition was claimed. */
  private generation = FIRST_GENERATION;
  /** End of the failed batch. Its retry has the same records, even if more have arrived. */
  private failedTo: bigint | null = null;
  /** How often the batch has failed. */
  private failures = 0;
  private isCommitLoopRunning = false;
  private isDelivering = false;
  private readonly commits: OffsetCommits;

  constructor(
    private readonly parts: ConsumerParts<Message>,
    private readonly options: ReaderOptions,
  ) {
    this.partition = options.partition;
    this.commits = new OffsetCommits(parts.kafkaConsumer, this.describe(), parts.logger);
  }

  pause(): void {
    this.parts.kafkaConsumer.pause([this.place]);
  }

  /**
   * Claims the partition and starts to read it. Retries while the consumer's store or the broker is unreachable.
   *
   * @throws OffsetOutOfRangeError and other permanent errors
   */
  async claim(delayMs = 0): Promise<void> {
    const { stopped } = this.options;
    await sleep(delayMs, stopped).catch(() => undefined);
    if (this.isStopped()) return;
    const onFailure = (error: unknown, attempt: number) => {
      stopped.throwIfAborted();
      if (!isTransient(error)) throw error;
      const pauseMs = pauseAfter(attempt, this.backoff);
      this.parts.logger.warn({ error, pauseMs, ...this.describe() }, 'partition could not be claimed, retrying');
    };
    try {
      await retry(() => this.startReading(), { backoff: this.backoff, signal: stopped, onFailure });
    } catch (error) {
      if (!this.isStopped()) throw error;
    }
  }

  /**
   * Delivers fetched records in batches, until one fails or the partition has to be released.
   *
   * @throws the client's error when a heartbeat fails: the started batch is finished, and the client rejoins the group;
   * permanent errors of the handler
   */
  async deliver(payload: EachBatchPayload): Promise<Outcome> {
    const { messages } = payload.batch;
    this.isDelivering = true;
    let outcome: Outcome = 'read';
    const failures: unknown[] = [];
    const beats = every(this.options.heartbeatIntervalMs, () => {
      payload.heartbeat().catch((error: unknown) => {
        failures.push(isKafkaError(error) ? error : new KafkaJSError(error as Error));
      });
    });
    try {
      for (let at = 0; at < messages.length && outcome === 'read' && failures.length === 0 && !this.isStopped();) {
        const delivered = await this.deliverBatch(messages.slice(at));
        outcome = delivered.outcome;
        at += delivered.count;
        if (outcome === 'read') payload.resolveOffset(messages[at - 1].offset);
      }
    } finally {
      beats.cancel();
      this.isDelivering = false;
    }
    await this.commits.commitIfDue(this.position, payload);
    if (failures.length > 0 && !this.isStopped()) throw failures[0];
    return outcome;
  }

  private isStopped(): boolean {
    return this.options.stopped.aborted;
  }

  private isIdle(): boolean {
    return !this.isDelivering && !this.isStopped();
  }

  private get place() {
    return { topic: this.parts.topicName, partitions: [this.partition] };
  }

  /** The records that the next batch may contain: those of older generations are in batches of their own. */
  private deliverable(fetched: KafkaMessage[]): { records: KafkaMessage[]; isSkipped: boolean } {
    const { failedTo, generation } = this;
    const place = { topicName: this.parts.topicName, partition: this.partition };
    const isSkipped = isOutdated(place, fetched[0], generation);
    const isRetried = failedTo !== null && BigInt(fetched[0].offset) < failedTo;
    const limited = fetched
      .slice(0, this.parts.consumer.maxBatch)
      .filter(({ offset }) => !isRetried || BigInt(offset) < failedTo);
    const other = limited.findIndex((record) => isOutdated(place, record, generation) !== isSkipped);
    return { records: other < 0 ? limited : limited.slice(0, other), isSkipped };
  }

  /** Delivers the first of some records. @returns also the number of records that were read */
  private async deliverBatch(fetched: KafkaMessage[]): Promise<{ outcome: Outcome; count: number }> {
    const { consumer, health, topicName } = this.parts;
    const { partition, position: from } = this;
    if (from === null) return { outcome: 'waiting', count: 0 };
    const { records, isSkipped } = this.deliverable(fetched);
    let to = endOf(records);
    let count = 0;
    try {
      await requireContiguous(from, BigInt(records[0].offset), () => this.findRange(), this.describe());
      await inBatchSpan({ system: 'kafka', ...this.describe() }, async (span) => {
        const decode = (record: KafkaMessage) => decodeRecord(consumer.topic, { topicName, partition }, record);
        const messages = isSkipped ? [] : takeBatch(records, decode, consumer);
        count = isSkipped ? records.length : messages.length;
        const taken = records.slice(0, count);
        to = endOf(taken);
        linkBatch(
          span,
          taken.map(({ headers = {} }) => remoteSpan(headers)),
        );
        const batch = { partition, from, to, messages, isFollowed: fetched.length > count };
        await health.watch('batch', partition, () => consumer.onBatch(batch));
      });
    } catch (error) {
      if (!isTransient(error)) throw error;
      this.pause();
      if (error instanceof FencedError) return { outcome: this.handleFencing(error), count: 0 };
      this.failedTo = to;
      this.retryLater(error);
      return { outcome: 'waiting', count: 0 };
    }
    if (isSkipped) this.reportSkipped(count);
    this.position = to;
    this.failedTo = null;
    this.failures = 0;
    return { outcome: 'read', count };
  }

  private reportSkipped(records: number): void {
    this.parts.generations.onSkipped(records);
    const sentence = 'records skipped: a producer published them for the log before positions were reset';
    this.parts.logger.warn({ records, ...this.describe() }, sentence);
  }

  /**
   * Another consumer claimed the partition. Either a rebalance is pending, or that claim was outdated and this consumer
   * claims again.
   */
  private handleFencing(error: FencedError): Outcome {
    this.parts.logger.warn({ error, ...this.describe() }, 'partition was claimed by another consumer');
    this.parts.consumer.onFenced?.();
    this.position = null;
    return 'fenced';
  }

  private async startReading(): Promise<void> {
    const position = await this.parts.health.watch('claim', this.partition, () => this.claimPosition());
    if (this.isStopped()) return;
    this.position = position;
    this.failedTo = null;
    const { topicName: topic, kafkaConsumer } = this.parts;
    kafkaConsumer.seek({ topic, partition: this.partition, offset: String(position) });
    kafkaConsumer.resume([this.place]);
    void this.commitPeriodically();
  }

  private async claimPosition(): Promise<bigint> {
    const { consumer, topicName } = this.parts;
    const stored = await consumer.claimPartition(this.partition, this.options.partitionCount, topicName);
    // After the claim: a reset between the two fences it.
    this.generation = await this.parts.generations.find(topicName);
    return startOffset(stored, await this.findRange(), this.describe());
  }

  private findRange(): Promise<PartitionRange> {
    return readRange(this.parts.admin, this.place.topic, this.partition);
  }

  private get backoff() {
    const { retryPauseMs: firstMs } = this.options;
    return { firstMs, longestMs: firstMs * 100 };
  }

  private retryLater(error: unknown): void {
    const pauseMs = pauseAfter(++this.failures, this.backoff);
    this.parts.logger.warn({ error, pauseMs, ...this.describe() }, 'batch failed, retrying');
    const resumed = sleep(pauseMs, this.options.stopped).then(() => {
      this.parts.kafkaConsumer.resume([this.place]);
    });
    resumed.catch((cause: unknown) => {
      this.parts.logger.debug({ error: cause, ...this.describe() }, 'left the group before the retry of the batch');
    });
  }

  /**
   * Commits the position also while no batch arrives: the previous consumer may have ended before its last commit, a
   * commit can be lost, and a late commit of the previous consumer can overwrite a newer one.
   */
  private async commitPeriodically(): Promise<void> {
    if (this.isCommitLoopRunning) return;
    this.isCommitLoopRunning = true;
    while (!this.isStopped()) {
      await this.commits.commit(this.position);
      await sleep(COMMIT_INTERVAL_MS, this.options.stopped).catch(() => undefined);
      await this.checkStore();
    }
  }

  /** Claims the partition again if the consumer's store has lost data while no record arrived. */
  private async checkStore(): Promise<void> {
    const { position } = this;
    if (position === null || !this.isIdle()) return;
    try {
      await this.parts.consumer.checkPartition?.(this.partition);
    } catch (error) {
      if (!(error instanceof FencedError)) {
        this.parts.logger.debug({ error, ...this.describe() }, 'the store of the consumer could not be checked');
      } else if (this.position === position && this.isIdle()) {
        this.pause();
        this.handleFencing(error);
        this.options.reclaim();
      }
    }
  }

  private describe() {
    const { group, topicName } = this.parts;
    return { group, topic: topicName, partition: this.partition };
  }
}

/** The offset after the last of some records. */
function endOf(records: readonly KafkaMessage[]): bigint {
  return BigInt(records[records.length - 1].offset) + 1n;
}
