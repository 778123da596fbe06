import { setTimeout as sleep } from 'node:timers/promises';
import { type Topic } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { type Bus, type Consumer } from './bus';
import { PartitionLog } from './partition-log';

export interface InMemoryBusOptions {
  partitionCount?: number;
  /** Records that a partition holds before its producer has to wait. */
  capacity?: number;
  /** Offset of the first record to come, by topic and partition: where the consumers' stored positions stand. */
  firstOffset?: (topic: string, partition: number) => bigint;
  /** Pause before a batch is delivered again, doubled each time up to a hundredfold. */
  retryPauseMs?: number;
}

/** The bus of a single process. What was not consumed is lost with the process; the producer sends it again. */
export class InMemoryBus implements Bus {
  private readonly topics = new Map<string, PartitionLog[]>();

  constructor(private readonly options: InMemoryBusOptions = {}) {}

  async publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void> {
    const logs = this.logsOf(topic.name);
    for (const message of messages) {
      for (const partition of topic.partitionsOf(message, logs.length)) {
        await logs[partition].append(message, signal);
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
      stop.abort(); // one that failed takes the others with it
      await Promise.allSettled(loops);
    }
  }

  async waitUntilApplied<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<void> {
    const ends = this.logsOf(topic.name).map((log) => ({ log, end: log.end }));
    for (const { log, end } of ends) await log.waitUntilRead(group, end, signal);
  }

  /** Settles when every group has read everything, or when the signal says stop. */
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
    const reader = log.join(consumer.group, position);
    for (;;) {
      const records = await reader.read(consumer.maxBatch, signal);
      if (records.length === 0) return;
      const from = reader.position;
      const to = from + BigInt(records.length);
      // What was published under a topic is what its consumers are typed for.
      const batch = { partition, from, to, messages: records as Message[] };
      if (!(await this.deliver(() => consumer.onBatch(batch), signal))) return;
      reader.moveTo(to);
    }
  }

  /** Repeats a delivery for as long as trying again can help. @returns false when the signal ended it */
  private async deliver(onBatch: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const firstPauseMs = this.options.retryPauseMs ?? 100;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, firstPauseMs * 100)) {
      try {
        await onBatch();
        return true;
      } catch (error) {
        if (!(error instanceof FresnelError) || !error.isRetryable) throw error;
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return false;
      }
    }
  }

  private logsOf(topic: string): PartitionLog[] {
    let logs = this.topics.get(topic);
    if (!logs) {
      const { partitionCount = 1, capacity = 256, firstOffset = () => 0n } = this.options;
      logs = Array.from({ length: partitionCount }, (_, at) => new PartitionLog(capacity, firstOffset(topic, at)));
      this.topics.set(topic, logs);
    }
    return logs;
  }
}
