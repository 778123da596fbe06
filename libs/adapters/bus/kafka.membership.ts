import { once } from 'node:events';
import { type Logger } from '@fresnel/platform';
import { type Admin, type Consumer as KafkaConsumer, type EachBatchPayload, KafkaJSError } from 'kafkajs';
import { type Consumer } from './bus';
import { createKafkaClient, type KafkaConfig } from './kafka-client';
import { isPermanentError } from './kafka-errors';
import { groupNameOf, topicNameOf } from './kafka-names';
import { countPartitions } from './kafka-topics';
import { explainCompression } from './kafka.compression';
import { type ConsumerHealth } from './kafka.consumer-health';
import { PartitionConsumer, type ConsumerParts } from './kafka.partition-consumer';

/** Timing of a member of a consumer group. */
export interface MemberTiming {
  /** A member that sends no heartbeat for this time loses its partitions. */
  sessionTimeoutMs: number;
  heartbeatIntervalMs: number;
  /** How long a rebalance waits for a member that is processing a batch. */
  rebalanceTimeoutMs: number;
  /** Pause before a batch is retried. Doubles with each retry, up to 100 times this value. */
  retryPauseMs: number;
}

/**
 * How long the broker waits for new records before it responds to a fetch. A shutdown and a resumed partition may wait
 * as long.
 */
const LONG_POLL_MS = 250;

/**
 * What is fetched of one partition, and of all, at once: the compressed bytes that a member keeps in memory, however far it is
 * behind. A record that is larger is fetched alone. A paused partition is not fetched.
 */
const FETCH_BYTES_PER_PARTITION = 1024 * 1024;
const FETCH_BYTES = 8 * 1024 * 1024;

/** One membership in a consumer group: from joining to leaving it or losing the connection. */
export class GroupMembership<Message> {
  /** Names in the cluster. */
  readonly group: string;
  readonly topicName: string;
  private readonly kafkaConsumer: KafkaConsumer;
  private readonly admin: Admin;
  /** Aborted by the next rebalance. */
  private generation = new AbortController();
  private assigned = new Map<number, PartitionConsumer<Message>>();
  private readonly claims = new Set<Promise<void>>();
  private readonly end = new AbortController();
  private permanentError: { error: unknown } | null = null;
  private retryableError: unknown = null;
  private partitionCount = 0;

  constructor(
    config: KafkaConfig,
    private readonly timing: MemberTiming,
    private readonly consumer: Consumer<Message>,
    private readonly generations: ConsumerParts<Message>['generations'],
    private readonly health: ConsumerHealth,
    private readonly logger: Logger,
  ) {
    this.group = groupNameOf(config, consumer.group);
    this.topicName = topicNameOf(config, consumer.topic);
    // One client for each membership: it caches committed offsets, which must not outlive the membership.
    const client = createKafkaClient(config, logger);
    this.admin = client.admin();
    this.kafkaConsumer = client.consumer({
      groupId: this.group,
      sessionTimeout: timing.sessionTimeoutMs,
      heartbeatInterval: timing.heartbeatIntervalMs,
      rebalanceTimeout: timing.rebalanceTimeoutMs,
      maxWaitTimeInMs: LONG_POLL_MS,
      maxBytesPerPartition: FETCH_BYTES_PER_PARTITION,
      maxBytes: FETCH_BYTES,
      allowAutoTopicCreation: false,
      // A crashed consumer is replaced by a new one, because its own restart cannot be cancelled.
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
  }

  /**
   * Reads until the signal aborts.
   *
   * @returns the retryable error that ended it before the signal: the broker is unreachable
   * @throws permanent errors
   */
  async run(signal: AbortSignal): Promise<unknown> {
    const { CRASH, FETCH, GROUP_JOIN, HEARTBEAT, REBALANCING } = this.kafkaConsumer.events;
    const stop = () => {
      this.end.abort();
    };
    signal.addEventListener('abort', stop);
    this.kafkaConsumer.on(CRASH, ({ payload }) => {
      this.handleError(payload.error);
    });
    this.kafkaConsumer.on(REBALANCING, () => {
      this.generation.abort();
    });
    for (const event of [FETCH, HEARTBEAT] as const) {
      this.kafkaConsumer.on(event, () => {
        if (!this.end.signal.aborted) this.health.recordContact();
      });
    }
    this.kafkaConsumer.on(GROUP_JOIN, ({ payload }) => {
      this.health.recordContact();
      const { [this.topicName]: partitions = [] } = payload.memberAssignment;
      this.onAssigned(partitions);
    });
    const joined = this.join().catch((error: unknown) => {
      this.handleError(error);
    });
    if (signal.aborted) stop();
    if (!this.end.signal.aborted) await once(this.end.signal, 'abort');
    signal.removeEventListener('abort', stop);
    this.health.recordLoss();
    await this.leave(joined);
    if (this.permanentError) throw this.permanentError.error;
    return this.retryableError;
  }

  private async join(): Promise<void> {
    await this.admin.connect();
    this.partitionCount = await countPartitions(this.admin, this.topicName);
    await this.kafkaConsumer.connect();
    await this.kafkaConsumer.subscribe({ topics: [this.topicName], fromBeginning: true });
    if (this.end.signal.aborted) return;
    await this.kafkaConsumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: this.partitionCount,
      eachBatch: (payload) => this.deliver(payload),
    });
  }

  /** Interrupts a pending join. Disconnects a second time, in case the join succeeds nevertheless. */
  private async leave(joined: Promise<void>): Promise<void> {
    this.generation.abort();
    await this.kafkaConsumer.disconnect();
    await joined;
    await this.kafkaConsumer.disconnect();
    await this.release([...this.assigned.keys()], () => false);
    await this.admin.disconnect();
  }

  /** Called after the last batch of the old assignment and before the first fetch of the new one. */
  private onAssigned(partitions: number[]): void {
    this.generation.abort();
    this.generation = new AbortController();
    const { group, topicName } = this;
    this.logger.info({ group, topic: topicName, partitions }, 'partitions assigned');
    const consumers = partitions.map((partition) => this.createConsumer(partition, this.generation.signal));
    const released = [...this.assigned.keys()].filter((partition) => !partitions.includes(partition));
    if (released.length > 0) void this.release(released, (partition) => this.assigned.has(partition));
    this.assigned = new Map(consumers.map((consumer) => [consumer.partition, consumer]));
    for (const consumer of consumers) {
      consumer.pause();
      this.claimPartition(consumer);
    }
  }

  /** Reports the end of assignments once started claims have ended. @param isAssigned whether a partition is assigned again */
  private async release(partitions: readonly number[], isAssigned: (partition: number) => boolean): Promise<void> {
    await Promise.allSettled(this.claims);
    this.consumer.onReleased?.(partitions.filter((partition) => !isAssigned(partition)));
  }

  private createConsumer(partition: number, generation: AbortSignal): PartitionConsumer<Message> {
    const { partitionCount, consumer, generations, health, kafkaConsumer, admin, logger, group, topicName } = this;
    const stopped = AbortSignal.any([generation, this.end.signal]);
    const reclaim = () => {
      this.claimFencedPartition(created);
    };
    const created: PartitionConsumer<Message> = new PartitionConsumer(
      { consumer, generations, health, kafkaConsumer, admin, logger, group, topicName },
      { ...this.timing, partition, partitionCount, stopped, reclaim },
    );
    return created;
  }

  /** Two heartbeats detect a pending rebalance, which cancels the claim. */
  private claimFencedPartition(consumer: PartitionConsumer<Message>): void {
    this.claimPartition(consumer, 2 * this.timing.heartbeatIntervalMs);
  }

  private claimPartition(consumer: PartitionConsumer<Message>, delayMs = 0): void {
    const claimed = consumer
      .claim(delayMs)
      .catch((error: unknown) => {
        this.fail(error);
      })
      .finally(() => this.claims.delete(claimed));
    this.claims.add(claimed);
  }

  private async deliver(payload: EachBatchPayload): Promise<void> {
    const consumer = this.assigned.get(payload.batch.partition);
    if (!consumer) return;
    try {
      const outcome = await consumer.deliver(payload);
      if (outcome === 'fenced') this.claimFencedPartition(consumer);
    } catch (error) {
      if (error instanceof KafkaJSError) throw error;
      this.fail(error);
    }
  }

  private handleError(error: unknown): void {
    if (isPermanentError(error)) {
      this.fail(explainCompression(error, this.topicName));
      return;
    }
    this.retryableError ??= error;
    this.end.abort();
  }

  private fail(error: unknown): void {
    this.permanentError ??= { error };
    this.end.abort();
  }
}
