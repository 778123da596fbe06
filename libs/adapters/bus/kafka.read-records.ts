import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { FIRST_GENERATION, type Topic } from '@fresnel/contracts/messages';
import { type Logger } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type Consumer as KafkaConsumer } from 'kafkajs';
import { createKafkaClient, type KafkaConfig } from './kafka-client';
import { isPermanentError } from './kafka-errors';
import { groupNameOf, topicNameOf } from './kafka-names';
import { decodeRecord, isOutdated } from './kafka-record';
import { explainCompression } from './kafka.compression';
import { countPartitions, withAdmin } from './kafka-topics';

/** Pause before a retry. */
const RETRY_PAUSE_MS = 500;

/** A record of the log, or the part of it that was selected. */
export interface PublishedRecord<Selected> {
  partition: number;
  offset: bigint;
  message: Selected;
}

interface Range {
  partition: number;
  from: bigint;
  /** Offset after the last record. */
  to: bigint;
}

/** Which records are read. */
export interface RecordSelection<Message, Selected> {
  /** Maximum number of records per partition. */
  count: number;
  /** From the start or from the end of each partition. */
  end: 'oldest' | 'newest';
  /** Returns the part of a message that is needed. Records may be large: only this part of each is kept in memory. */
  select: (message: Message) => Selected;
  /** The generation of the log. Records of older ones are omitted. Default: the first one. */
  generation?: number;
}

/**
 * Reads the first or the last records of each partition, ordered by partition and offset. A producer uses them to resume.
 * Retries while the broker is unreachable.
 *
 * @throws TopicMismatchError when the topic does not exist, or has records of a newer generation, UnreadableMessageError, and
 * the signal's reason
 */
export async function readRecords<Message, Selected>(
  config: KafkaConfig,
  topic: Topic<Message>,
  selection: RecordSelection<Message, Selected>,
  logger: Logger,
  signal: AbortSignal,
): Promise<PublishedRecord<Selected>[]> {
  for (;;) {
    try {
      return await readOnce(config, topic, selection, logger);
    } catch (error) {
      if (isPermanentError(error)) throw explainCompression(error, topicNameOf(config, topic));
      logger.warn({ error, topic: topicNameOf(config, topic) }, 'records could not be read, retrying');
      await sleep(RETRY_PAUSE_MS, signal);
    }
  }
}

async function readOnce<Message, Selected>(
  config: KafkaConfig,
  topic: Topic<Message>,
  selection: RecordSelection<Message, Selected>,
  logger: Logger,
): Promise<PublishedRecord<Selected>[]> {
  const topicName = topicNameOf(config, topic);
  return withAdmin(config, logger, async (admin) => {
    await countPartitions(admin, topicName);
    const offsets = await admin.fetchTopicOffsets(topicName);
    const ranges = offsets.map(({ partition, low, high }) =>
      findRange(partition, BigInt(low), BigInt(high), selection),
    );
    const filled = ranges.filter(({ from, to }) => from < to);
    if (filled.length === 0) return [];
    // KafkaJS can only read as a member of a group, so this group is temporary.
    const group = groupNameOf(config, `fresnel-read-last-${randomUUID()}`);
    const consumer = createKafkaClient(config, logger).consumer({
      groupId: group,
      maxWaitTimeInMs: 250,
      allowAutoTopicCreation: false,
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
    try {
      return await readRanges(consumer, topic, topicName, filled, selection);
    } finally {
      await consumer.disconnect();
      // The broker may still count a member. It deletes an empty group by itself later.
      await admin.deleteGroups([group]).catch((error: unknown) => {
        logger.debug({ error, group }, 'group was not deleted');
      });
    }
  });
}

async function readRanges<Message, Selected>(
  consumer: KafkaConsumer,
  topic: Topic<Message>,
  topicName: string,
  ranges: Range[],
  { select, generation = FIRST_GENERATION }: RecordSelection<Message, Selected>,
): Promise<PublishedRecord<Selected>[]> {
  const open = new Map(ranges.map((range) => [range.partition, range]));
  let found: PublishedRecord<Selected>[] = [];
  const end = new AbortController();
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    end.abort();
  };
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    fail(payload.error);
  });
  consumer.on(consumer.events.GROUP_JOIN, () => {
    // These partitions are read again from the start of their range.
    found = found.filter(({ partition }) => !open.has(partition));
    for (const { partition, from } of open.values()) {
      consumer.seek({ topic: topicName, partition, offset: String(from) });
    }
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topicName], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: ({ batch }) => {
      const range = open.get(batch.partition);
      if (!range) return Promise.resolve();
      try {
        for (const record of batch.messages) {
          const offset = BigInt(record.offset);
          if (offset < range.from || offset >= range.to) continue;
          const { partition } = range;
          const place = { topicName, partition };
          if (isOutdated(place, record, generation)) continue;
          found.push({ partition, offset, message: select(decodeRecord(topic, place, record)) });
        }
      } catch (error) {
        fail(error);
      }
      if (BigInt(batch.lastOffset()) + 1n >= range.to) open.delete(batch.partition);
      if (open.size === 0) end.abort();
      return Promise.resolve();
    },
  });
  if (!end.signal.aborted) await once(end.signal, 'abort');
  if (failures.length > 0) throw failures[0];
  return found.sort((a, b) => a.partition - b.partition || Number(a.offset - b.offset));
}

function findRange(
  partition: number,
  low: bigint,
  high: bigint,
  { count, end }: Pick<RecordSelection<never, never>, 'count' | 'end'>,
): Range {
  if (high - low <= count) return { partition, from: low, to: high };
  return end === 'newest'
    ? { partition, from: high - BigInt(count), to: high }
    : { partition, from: low, to: low + BigInt(count) };
}
