import { type Topic } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';

/** Injection token: the bus inside this process, or a broker. */
export const BUS = Symbol('Bus');

/** Carries messages from one producer to groups of consumers, each partition in order. */
export interface Bus {
  /**
   * Appends messages in order. Settles when they are safe; waits while consumers are too far behind.
   *
   * @throws the signal's reason when it says stop before all are appended
   */
  publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void>;

  /**
   * Hands a topic's records to a consumer, batch by batch, until the signal says stop; a batch that has begun is
   * finished. A batch whose handler fails with a retryable error is delivered again after a pause.
   *
   * @throws OffsetOutOfRangeError when the consumer's position is not in the log; the handler's other errors as they come
   */
  consume<Message>(consumer: Consumer<Message>, signal: AbortSignal): Promise<void>;

  /**
   * Settles when a group has applied all that was published to a topic before the call. A group of which nothing is known
   * has applied nothing.
   *
   * @throws the signal's reason when it says stop before that
   */
  waitUntilApplied<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<void>;
}

export interface Consumer<Message> {
  /** Consumers of one group share the partitions; each group gets everything. */
  group: string;
  topic: Topic<Message>;
  maxBatch: number;
  /**
   * Called whenever this consumer is given a partition: nobody else may write what follows from it from then on. The
   * consumer keeps its position with its data.
   *
   * @param partitionCount of the topic
   * @param topicName the topic's name in the cluster, which differs between deployments that share one; offsets belong to it
   * @returns offset at which to go on; null: from the log's beginning
   */
  claimPartition(partition: number, partitionCount: number, topicName: string): Promise<bigint | null>;
  onBatch(batch: Batch<Message>): Promise<void>;
}

/** Consecutive records of one partition, at least one. */
export interface Batch<Message> {
  partition: number;
  /** Where the batch before ended: offset of the first record, or before it where the log has a gap. */
  from: bigint;
  /** Offset behind the last record. */
  to: bigint;
  messages: readonly Message[];
}

/** The log no longer, or not yet, has the offset at which a consumer wants to go on. Going on elsewhere would lose data. */
export class OffsetOutOfRangeError extends FresnelError {
  readonly code = 'offset-out-of-range';
  readonly isRetryable = false;
}
