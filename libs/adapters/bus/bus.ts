import { type Topic } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';

/** Injection token: the in-process bus, or Kafka. */
export const BUS = Symbol('Bus');

/** Delivers messages from one producer to groups of consumers. Each partition is in order. */
export interface Bus {
  /**
   * Appends messages in order. Resolves when they are durable. Waits while the log is full because consumers lag.
   *
   * @throws the signal's reason when it aborts before all messages are appended
   */
  publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void>;

  /**
   * Delivers a topic's records to a consumer in batches, until the signal aborts; a started batch is finished. If the
   * handler fails with a retryable error, the batch is delivered again after a pause.
   *
   * @throws OffsetOutOfRangeError when the consumer's position is not in the log; the handler's other errors unchanged
   */
  consume<Message>(consumer: Consumer<Message>, signal: AbortSignal): Promise<void>;

  /**
   * Resolves when a group has applied everything that was published to a topic before the call. A group that does not
   * exist has applied nothing.
   *
   * @throws the signal's reason when it aborts first
   */
  waitUntilApplied<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<void>;

  /**
   * The records that a group has not applied, in the partition where it is furthest behind. A group that does not exist has
   * applied nothing.
   *
   * @throws the signal's reason when it aborts first
   */
  findLag<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<number>;
}

export interface Consumer<Message> {
  /** Consumers of one group share the partitions; each group receives all messages. */
  group: string;
  topic: Topic<Message>;
  /** Maximum number of records in a batch. */
  maxBatch: number;
  /** Bounds the work of a batch, where it depends on what the messages contain. */
  sizeLimit?: SizeLimit<Message>;
  /**
   * Called whenever a partition is assigned to this consumer. The consumer claims the partition, which fences the
   * previous consumer, and reads its position, which is stored with its data.
   *
   * @param partitionCount of the topic
   * @param topicName the topic's name in the cluster, with KAFKA_PREFIX; stored offsets belong to this name
   * @returns offset of the next record to read; null: nothing was read, and the log must have its record at offset 0
   */
  claimPartition(partition: number, partitionCount: number, topicName: string): Promise<bigint | null>;
  /** Called when partitions are no longer assigned to this consumer, after their last batch. */
  onReleased?(partitions: readonly number[]): void;
  onBatch(batch: Batch<Message>): Promise<void>;
  /** Called when `onBatch` or `checkPartition` has thrown a `FencedError`, before the partition is claimed again. */
  onFenced?(): void;
  /**
   * Called every few seconds while no batch of a claimed partition is in progress. Throws a `FencedError` if the consumer's
   * store has lost what it has committed: then the partition is claimed again. Without records, nothing else would notice.
   */
  checkPartition?(partition: number): Promise<void>;
}

export interface SizeLimit<Message> {
  /** Maximum sum of the sizes in a batch. A message that is larger is delivered in a batch of its own. */
  max: number;
  sizeOf(message: Message): number;
}

/** Consecutive records of one partition, at least one. No messages if the records are those of an older generation of the log. */
export interface Batch<Message> {
  partition: number;
  /** End of the previous batch. Equal to the offset of the first record, or lower if the log has a gap. */
  from: bigint;
  /** Offset after the last record. */
  to: bigint;
  messages: readonly Message[];
  /** Whether later records of the partition have arrived: another batch follows at once, here or at the next consumer. */
  isFollowed: boolean;
}

/** The log no longer, or not yet, contains the consumer's position. Reading from another offset would lose data. */
export class OffsetOutOfRangeError extends FresnelError {
  readonly code = 'offset-out-of-range';
  readonly isRetryable = false;
}
