import { type Logger, retry } from '@fresnel/platform';
import { type Admin } from 'kafkajs';
import { type KafkaConfig } from './kafka-client';
import { isPermanentError } from './kafka-errors';
import { withAdmin } from './kafka-topics';
import { type PartitionRange, readRanges } from './kafka.log-ranges';

/** A topic and a group, by their names in the cluster. */
export interface GroupOfTopic {
  topicName: string;
  group: string;
}

/** A partition of which the group has not applied all records. */
export interface PartitionLag {
  partition: number;
  /** Committed offset; null: the group has committed none. */
  applied: bigint | null;
  end: bigint;
}

const BACKOFF = { firstMs: 500, longestMs: 500 };

/** Lists the partitions that the group has not applied up to the given ends. */
export async function listLag(
  admin: Admin,
  { topicName, group }: GroupOfTopic,
  ranges: ReadonlyMap<number, PartitionRange>,
): Promise<PartitionLag[]> {
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topicName] });
  const applied = new Map(committed.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  return [...ranges].flatMap(([partition, { end }]) => {
    const at = applied.get(partition) ?? -1n;
    // Without a commit the offset is -1. An empty partition ends at 0.
    return end === 0n || at >= end ? [] : [{ partition, applied: at < 0n ? null : at, end }];
  });
}

/**
 * The records that a group has not applied, in the partition where it is furthest behind. Retries while the broker is
 * unreachable.
 *
 * @throws TopicMismatchError, KafkaJSError for permanent errors, the signal's reason
 */
export async function findMaxLag(
  config: KafkaConfig,
  place: GroupOfTopic,
  logger: Logger,
  signal: AbortSignal,
): Promise<number> {
  const read = () =>
    withAdmin(config, logger, async (admin) => {
      const ranges = await readRanges(admin, place.topicName);
      const lag = await listLag(admin, place, ranges);
      // Without a commit, all records of the log.
      const counts = lag.map(({ partition, applied, end }) => end - (applied ?? ranges.get(partition)?.start ?? 0n));
      return Number(counts.reduce((max, count) => (count > max ? count : max), 0n));
    });
  const onFailure = (error: unknown) => {
    signal.throwIfAborted();
    if (isPermanentError(error)) throw error;
    logger.warn({ error, group: place.group, topic: place.topicName }, 'cannot read how far the consumers are behind');
  };
  signal.throwIfAborted();
  return retry(read, { backoff: BACKOFF, signal, onFailure });
}
