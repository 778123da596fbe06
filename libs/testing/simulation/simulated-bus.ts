import {
  type Batch,
  type Bus,
  type Consumer,
  type GenerationFinder,
  inBatchSpan,
  isOutdated,
  linkBatch,
  takeBatch,
} from '@fresnel/adapters/bus';
import { FencedError, FIRST_GENERATION, type Topic } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { activeSpan } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type BrokerRecord, type SimulatedBroker } from './simulated-broker';

/** Executes a call to the broker: at once, or when a scheduler selects it. */
export type BrokerCall = <Result>(name: string, execute: () => Result) => Promise<Result>;

export interface SimulatedBusOptions {
  /** The number of records that a fetch returns, at most `max`. Default: `max`. */
  fetchSize?: (max: number) => number;
  /** Pause between two polls that found nothing, and between retries. */
  pauseMs?: number;
  /** Idle polls between two calls of `checkPartition`. */
  pollsPerCheck?: number;
  /** Default: the log has only one. */
  findGeneration?: GenerationFinder;
}

/**
 * A twin of `KafkaBus`: the client of one process. Members learn of a rebalance when they poll, so one that is frozen goes on
 * as if it still had its partitions.
 */
export class SimulatedBus implements Bus {
  private members = 0;
  /** The generation that each topic had at the first publication: this process publishes for no other one. */
  private readonly generations = new Map<string, number>();

  constructor(
    private readonly process: string,
    private readonly broker: SimulatedBroker,
    private readonly call: BrokerCall,
    private readonly options: SimulatedBusOptions = {},
  ) {}

  async publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const publisher = activeSpan();
    const generation = await this.joinGeneration(topic.name);
    await this.call(`publish ${messages.length} to ${topic.name}`, () => {
      this.broker.append(topic, messages, publisher, generation);
    });
  }

  private async joinGeneration(topic: string): Promise<number | undefined> {
    const { findGeneration } = this.options;
    const known = this.generations.get(topic);
    if (known !== undefined || !findGeneration) return known;
    const found = await findGeneration(topic);
    const joined = this.generations.get(topic) ?? found;
    this.generations.set(topic, joined);
    return joined;
  }

  async consume<Message>(consumer: Consumer<Message>, signal: AbortSignal): Promise<void> {
    const { group, topic } = consumer;
    const member = `${this.process}#${this.members++}`;
    await this.call(`join ${group}`, () => {
      this.broker.join(group, topic.name, member);
    });
    const membership = new Membership(consumer, member, this.broker, this.call, this.options);
    try {
      await membership.run(signal);
    } finally {
      this.broker.leave(group, topic.name, member);
    }
  }

  async waitUntilApplied<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<void> {
    const ends = await this.call(`ends of ${topic.name}`, () => this.broker.endsOf(topic.name));
    for (;;) {
      signal.throwIfAborted();
      if (await this.call(`offsets of ${group}`, () => this.broker.hasApplied(group, topic.name, ends))) return;
      await pause(this.options, signal);
    }
  }

  findLag<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    return this.call(`lag of ${group}`, () => Math.max(...this.broker.lagsOf(group, topic.name)));
  }
}

/** A member of a group. Each of its partitions is read on its own. */
class Membership<Message> {
  private readonly readers = new Map<number, { stop: AbortController; ended: Promise<void> }>();
  /** By partition: the generation of the log when the partition was claimed. */
  private readonly generations = new Map<number, number>();

  constructor(
    private readonly consumer: Consumer<Message>,
    private readonly member: string,
    private readonly broker: SimulatedBroker,
    private readonly call: BrokerCall,
    private readonly options: SimulatedBusOptions,
  ) {}

  /** Follows the assignment until the signal aborts. @throws what a reader has thrown */
  async run(signal: AbortSignal): Promise<void> {
    const { group, topic } = this.consumer;
    const failed = new AbortController();
    const stopped = AbortSignal.any([signal, failed.signal]);
    try {
      while (!stopped.aborted) {
        const assigned = await this.call(`poll of ${group}`, () =>
          this.broker.assignedTo(group, topic.name, this.member),
        );
        await this.follow(assigned, stopped, failed);
        await pause(this.options, stopped).catch(() => undefined);
      }
      if (!signal.aborted) throw failed.signal.reason;
    } finally {
      await this.release([...this.readers.keys()]);
    }
  }

  private async follow(assigned: readonly number[], signal: AbortSignal, failed: AbortController): Promise<void> {
    await this.release([...this.readers.keys()].filter((partition) => !assigned.includes(partition)));
    for (const partition of assigned) {
      if (this.readers.has(partition)) continue;
      const stop = new AbortController();
      const ended = this.readPartition(partition, AbortSignal.any([signal, stop.signal]));
      ended.catch((error: unknown) => {
        failed.abort(error);
      });
      this.readers.set(partition, { stop, ended });
    }
  }

  private async release(partitions: readonly number[]): Promise<void> {
    if (partitions.length === 0) return;
    for (const partition of partitions) this.readers.get(partition)?.stop.abort();
    const ended = partitions.map((partition) => this.readers.get(partition)?.ended ?? Promise.resolve());
    await Promise.allSettled(ended);
    for (const partition of partitions) this.readers.delete(partition);
    this.consumer.onReleased?.(partitions);
  }

  /** Claims a partition and delivers its records; claims it again after it was fenced. */
  private async readPartition(partition: number, signal: AbortSignal): Promise<void> {
    let position: bigint | null = null;
    for (let idle = 0; !signal.aborted;) {
      try {
        position ??= await this.claim(partition);
        const from = position;
        const records = await this.fetch(partition, from);
        if (records.length > 0) {
          position = await this.deliver(partition, from, records);
          idle = 0;
          continue;
        }
        if (++idle % (this.options.pollsPerCheck ?? 40) === 0) {
          await this.consumer.checkPartition?.(partition);
          // The commit of the batch can be lost, or overwritten by a late one of another member.
          await this.commit(partition, from);
        }
      } catch (error) {
        if (error instanceof FencedError) {
          this.consumer.onFenced?.();
          position = null;
        } else if (!(error instanceof FresnelError) || !error.isRetryable) throw error;
      }
      await pause(this.options, signal).catch(() => undefined);
    }
  }

  private async claim(partition: number): Promise<bigint> {
    const { topic } = this.consumer;
    const claimed = await this.consumer.claimPartition(partition, this.broker.partitionsOf(topic.name), topic.name);
    const position = claimed ?? 0n;
    const generation = await this.options.findGeneration?.(topic.name);
    this.generations.set(partition, generation ?? FIRST_GENERATION);
    this.broker.read(topic.name, partition, position, 0);
    return position;
  }

  /** One record more than a batch can have shows whether another batch follows. */
  private fetch(partition: number, from: bigint): Promise<BrokerRecord[]> {
    const { group, topic, maxBatch } = this.consumer;
    const size = this.options.fetchSize?.(maxBatch) ?? maxBatch;
    return this.call(`fetch for ${group} from ${from}`, () => this.broker.read(topic.name, partition, from, size + 1));
  }

  /** @returns the offset after the batch */
  private async deliver(partition: number, from: bigint, records: readonly BrokerRecord[]): Promise<bigint> {
    const { consumer } = this;
    const { group, topic } = consumer;
    const size = this.options.fetchSize ? records.length : consumer.maxBatch;
    const { taken, isSkipped } = this.deliverable(partition, records.slice(0, size));
    // A topic's messages have the type that its consumers expect.
    const messages = isSkipped ? [] : takeBatch(taken, ({ message }) => message as Message, consumer);
    const count = isSkipped ? taken.length : messages.length;
    const to = from + BigInt(count);
    const batch: Batch<Message> = { partition, from, to, messages, isFollowed: records.length > count };
    await inBatchSpan({ system: 'kafka', topic: topic.name, partition, group }, async (span) => {
      linkBatch(
        span,
        records.slice(0, count).map(({ publisher }) => publisher),
      );
      await consumer.onBatch(batch);
    });
    await this.commit(partition, to);
    return to;
  }

  /** The records that the next batch may contain: those of older generations are in batches of their own. */
  private deliverable(
    partition: number,
    records: readonly BrokerRecord[],
  ): { taken: readonly BrokerRecord[]; isSkipped: boolean } {
    const place = { topicName: this.consumer.topic.name, partition };
    const generation = this.generations.get(partition) ?? FIRST_GENERATION;
    const isSkipped = isOutdated(place, records[0], generation);
    const other = records.findIndex((record) => isOutdated(place, record, generation) !== isSkipped);
    return { taken: other < 0 ? records : records.slice(0, other), isSkipped };
  }

  private commit(partition: number, offset: bigint): Promise<void> {
    const { group, topic } = this.consumer;
    return this.call(`commit ${offset} of ${group}`, () => {
      this.broker.commit(group, topic.name, partition, offset);
    });
  }
}

function pause({ pauseMs = 5 }: SimulatedBusOptions, signal: AbortSignal): Promise<void> {
  return sleep(pauseMs, signal);
}
