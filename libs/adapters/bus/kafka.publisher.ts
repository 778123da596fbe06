import { once } from 'node:events';
import { FIRST_GENERATION, type Topic } from '@fresnel/contracts/messages';
import { messageOf } from '@fresnel/domain/primitives';
import { type Logger, retry } from '@fresnel/platform';
import { CompressionTypes, KafkaJSError, type Producer } from 'kafkajs';
import { createKafkaClient, type KafkaConfig } from './kafka-client';
import {
  isKafkaError,
  isProducerStateError,
  isPermanentError,
  KafkaPermanentError,
  RESET_POSITIONS,
  TopicMismatchError,
} from './kafka-errors';
import { encodeRecords, type OutgoingRecord } from './kafka-record';
import { countPartitions, withAdmin } from './kafka-topics';
import { type GenerationFinder } from './kafka.generation';

/** Maximum bytes of a request; a single record may be larger. */
const CHUNK_BYTES = 768 * 1024;
const CHUNK_RECORDS = 2_000;
const BACKOFF = { firstMs: 100, longestMs: 5_000 };

/** Appends to one topic. Calls run one after the other, and each chunk is retried until it is acknowledged. */
export class TopicPublisher {
  private tail: Promise<unknown> = Promise.resolve();
  private producer: Producer | null = null;
  private partitionCount = 0;
  private generation: number | null = null;
  /** The offset of the last acknowledged request, by partition. */
  private readonly offsets = new Map<number, bigint>();

  constructor(
    private readonly config: KafkaConfig,
    private readonly topicName: string,
    private readonly findGeneration: GenerationFinder,
    private readonly logger: Logger,
  ) {}

  /** @throws the signal's reason; the next call waits until no request of this one is in flight */
  async publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const appended = this.tail.then(() => this.append(topic, messages, signal));
    this.tail = appended.catch(() => undefined);
    const settled = new AbortController();
    const aborted = once(signal, 'abort', { signal: settled.signal }).then(
      () => {
        signal.throwIfAborted();
      },
      () => undefined,
    );
    try {
      await Promise.race([appended, aborted]);
    } finally {
      settled.abort();
    }
  }

  /** Waits for the request in flight, but not for an unreachable broker. */
  async close(): Promise<void> {
    await this.tail;
    await this.dropProducer();
  }

  private async append<Message>(
    topic: Topic<Message>,
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.retry(() => this.connect(), signal);
    const generation = await this.joinGeneration(signal);
    let chunk: OutgoingRecord[] = [];
    let bytes = 0;
    for (const message of messages) {
      for (const record of encodeRecords(topic, message, this.partitionCount, generation)) {
        if (chunk.length > 0 && (bytes + record.value.length > CHUNK_BYTES || chunk.length === CHUNK_RECORDS)) {
          await this.send(chunk, signal);
          chunk = [];
          bytes = 0;
        }
        chunk.push(record);
        bytes += record.value.length;
      }
    }
    if (chunk.length > 0) await this.send(chunk, signal);
  }

  /** The generation of the log at the first call: this process publishes for no other one. */
  private async joinGeneration(signal: AbortSignal): Promise<number> {
    await this.retry(async () => (this.generation ??= await this.findGeneration(this.topicName)), signal);
    return this.generation ?? FIRST_GENERATION;
  }

  /** Sends no other records before these are acknowledged. That keeps the order within a partition. */
  private async send(records: OutgoingRecord[], signal: AbortSignal): Promise<void> {
    let pending = records;
    await this.retry(async () => {
      const producer = await this.connect();
      const acknowledged = await producer.send({
        topic: this.topicName,
        acks: -1,
        compression: CompressionTypes.GZIP,
        messages: pending,
      });
      // If a leader moves during a request, KafkaJS reports success although it has not sent to all partitions.
      const done = new Set(acknowledged.map(({ partition }) => partition));
      for (const { partition, baseOffset } of acknowledged) this.requireSameLog(partition, BigInt(baseOffset ?? -1));
      pending = pending.filter(({ partition }) => !done.has(partition));
      if (pending.length > 0) throw new KafkaJSError('a leader has moved: not all partitions have acknowledged');
    }, signal);
  }

  /** @throws TopicMismatchError when offsets start again: the topic was deleted and created again */
  private requireSameLog(partition: number, offset: bigint): void {
    const previous = this.offsets.get(partition) ?? -1n;
    if (offset >= 0n && offset <= previous) {
      const place = `${this.topicName}/${partition}`;
      const facts = `a record at offset ${offset} follows one at offset ${previous}`;
      throw new TopicMismatchError(`${place} was deleted and created again, ${facts}: ${RESET_POSITIONS}`);
    }
    this.offsets.set(partition, offset);
  }

  /**
   * Retries until the attempt succeeds. The broker deduplicates a retry of the same records by the same producer. After
   * a failure a producer must not send other records, because the broker would drop them as duplicates.
   */
  private async retry(attempt: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const onFailure = async (error: unknown) => {
      signal.throwIfAborted();
      if (isPermanentError(error) || isProducerStateError(error) || !isKafkaError(error)) await this.dropProducer();
      if (error instanceof TopicMismatchError) throw error;
      if (isPermanentError(error)) {
        throw new KafkaPermanentError(`${this.topicName}: ${messageOf(error)}`, { cause: error });
      }
      this.logger.warn({ error, topic: this.topicName }, 'publishing failed, retrying');
    };
    try {
      await retry(attempt, { backoff: BACKOFF, signal, onFailure });
    } catch (error) {
      if (signal.aborted) await this.dropProducer();
      throw error;
    }
  }

  private async connect(): Promise<Producer> {
    if (this.producer) return this.producer;
    this.partitionCount = await withAdmin(this.config, this.logger, (admin) => countPartitions(admin, this.topicName));
    const producer = createKafkaClient(this.config, this.logger).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition ?? 0,
    });
    try {
      await producer.connect();
    } catch (error) {
      await producer.disconnect();
      throw error;
    }
    this.producer = producer;
    return producer;
  }

  private async dropProducer(): Promise<void> {
    const producer = this.producer;
    this.producer = null;
    await producer?.disconnect();
  }
}
