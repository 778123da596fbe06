import { type Topic } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { activeSpan, retry } from '@fresnel/platform';
import { inBatchSpan, linkBatch } from './batch-span';
import { type Batch, type Bus, type Consumer } from './bus';
import { type LoggedMessage, PartitionLog } from './partition-log';
import { takeBatch } from './take-batch';

export interface InMemoryBusOptions {
  partitionCount?: number;
  /** Records in a partition at which its producer waits. */
  capacity?: number;
  /**
   * The capacity at first; it doubles with each batch. Default: `capacity`. A producer of the same process then leaves its processor
   * to the first batches, which are small.
   */
  firstCapacity?: number;
  /** Approximate memory of the records in a partition, in bytes, at which its producer waits. */
  maxBytes?: number;
  /** Offset of the next record of a partition: the consumers' stored position. */
  firstOffset?: (topic: string, partition: number) => bigint;
  /** Pause before a batch is retried. Doubles with each retry, up to 100 times this value. */
  retryPauseMs?: number;
}

/** Four batches of a projector. More of them do not make it faster. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The bus of a single process. Unconsumed messages are lost with the process; the producer publishes them again. */
export class InMemoryBus implements Bus {
  private readonly topics = new Map<string, PartitionLog[]>();

  constructor(private readonly options: InMemoryBusOptions = {}) {}

  async publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void> {
    const logs = this.logsOf(topic.name);
    for (const message of messages) {
      const record = { message, bytes: topic.bytesOf(message), publisher: activeSpan() };
      for (const partition of topic.partitionsOf(message, logs.length)) {
        await logs[partition].append(record, signal);
      }
    }
  }

  async consume<Message>(consumer: Consumer<Message>, signal: AbortSignal): Promise<void> {
    const logs = this.logsOf(consumer.topic.name);
    const stop = new AbortController();
    const stopped = AbortSignal.any([signal, stop.signal]);
    const loops = logs.map((log, partition) => this.consumePartition(consumer, log, partition, stopped));
    try {
      await Promise.all(loops);
    } finally {
      stop.abort(); // a failed loop stops the others
      await Promise.allSettled(loops);
      consumer.onReleased?.(logs.map((_, partition) => partition));
    }
  }

  async waitUntilApplied<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<void> {
    const ends = this.logsOf(topic.name).map((log) => ({ log, end: log.end }));
    for (const { log, end } of ends) await log.waitUntilRead(group, end, signal);
  }

  findLag<Message>(topic: Topic<Message>, group: string): Promise<number> {
    return Promise.resolve(Math.max(...this.logsOf(topic.name).map((log) => log.lagOf(group))));
  }

  /** Resolves when every group has read everything, or when the signal aborts. */
  async waitUntilDrained(signal: AbortSignal): Promise<void> {
    for (const log of [...this.topics.values()].flat()) await log.waitUntilEmpty(signal);
  }

  private async consumePartition<Message>(
    consumer: Consumer<Message>,
    log: PartitionLog,
    partition: number,
    signal: AbortSignal,
  ): Promise<void> {
    const partitionCount = this.logsOf(consumer.topic.name).length;
    const position = await consumer.claimPartition(partition, partitionCount, consumer.topic.name);
    const cursor = log.join(consumer.group, position);
    for (;;) {
      const records = await cursor.read(consumer.maxBatch, signal);
      if (records.length === 0) return;
      // A topic's messages have the type that its consumers expect.
      const messages = takeBatch(records, ({ message }) => message as Message, consumer);
      const from = cursor.position;
      const to = from + BigInt(messages.length);
      const batch = { partition, from, to, messages, isFollowed: log.end > to };
      const publishers = records.slice(0, messages.length).map(({ publisher }) => publisher);
      if (!(await this.deliver(() => handle(consumer, batch, publishers), signal))) return;
      cursor.moveTo(to);
    }
  }

  /** Retries a delivery while its error is retryable. @returns false when the signal aborted it */
  private async deliver(onBatch: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const firstMs = this.options.retryPauseMs ?? 100;
    const onFailure = (error: unknown) => {
      if (!(error instanceof FresnelError) || !error.isRetryable) throw error;
    };
    try {
      await retry(onBatch, { backoff: { firstMs, longestMs: firstMs * 100 }, signal, onFailure });
      return true;
    } catch (error) {
      if (error === signal.reason) return false;
      throw error;
    }
  }

  private logsOf(topic: string): PartitionLog[] {
    let logs = this.topics.get(topic);
    if (!logs) {
      const { partitionCount = 1, capacity: records = 256, maxBytes: bytes = MAX_BYTES } = this.options;
      const capacity = { records, firstRecords: this.options.firstCapacity ?? records, bytes };
      const firstOffset = (at: number) => this.options.firstOffset?.(topic, at) ?? 0n;
      logs = Array.from({ length: partitionCount }, (_, at) => new PartitionLog(capacity, firstOffset(at)));
      this.topics.set(topic, logs);
    }
    return logs;
  }
}

/** @param publishers the span in which each message was published */
function handle<Message>(
  consumer: Consumer<Message>,
  batch: Batch<Message>,
  publishers: readonly LoggedMessage['publisher'][],
): Promise<void> {
  const { group, topic } = consumer;
  const origin = { system: 'memory', topic: topic.name, partition: batch.partition, group } as const;
  return inBatchSpan(origin, async (span) => {
    linkBatch(span, publishers);
    await consumer.onBatch(batch);
  });
}
