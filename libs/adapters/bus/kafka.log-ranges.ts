import { type Topic } from '@fresnel/contracts/messages';
import { type Logger, retry } from '@fresnel/platform';
import { type Admin } from 'kafkajs';
import { OffsetOutOfRangeError } from './bus';
import { type KafkaConfig } from './kafka-client';
import { isPermanentError, KafkaUnavailableError, RESET_POSITIONS } from './kafka-errors';
import { topicNameOf } from './kafka-names';
import { countPartitions, withAdmin } from './kafka-topics';

/** The offsets between which the log of a partition has records. */
export interface PartitionRange {
  /** The offset of the first record. It is above 0 if records have expired or were deleted. */
  start: bigint;
  /** The offset of the next record. */
  end: bigint;
}

/** The consumer group and the partition of a position, by their names in the cluster. */
export interface PositionPlace {
  group: string;
  topic: string;
  partition: number;
}

const BACKOFF = { firstMs: 500, longestMs: 500 };

/** The range of each partition now. @throws TopicMismatchError when the topic does not exist */
export async function readRanges(admin: Admin, topicName: string): Promise<Map<number, PartitionRange>> {
  await countPartitions(admin, topicName);
  const offsets = await admin.fetchTopicOffsets(topicName);
  const sorted = offsets.sort((a, b) => a.partition - b.partition);
  return new Map(sorted.map(({ partition, low, high }) => [partition, { start: BigInt(low), end: BigInt(high) }]));
}

/** The range of one partition now. @throws KafkaUnavailableError when it cannot be read; permanent errors unchanged */
export async function readRange(admin: Admin, topicName: string, partition: number): Promise<PartitionRange> {
  const offsets = await admin.fetchTopicOffsets(topicName).catch((error: unknown) => {
    if (isPermanentError(error)) throw error;
    throw new KafkaUnavailableError(`the offsets of ${topicName} cannot be read`, { cause: error });
  });
  const found = offsets.find((each) => each.partition === partition);
  // A broker that starts may not list all partitions yet.
  if (!found) throw new KafkaUnavailableError(`${topicName}/${partition} is not listed`);
  return { start: BigInt(found.low), end: BigInt(found.high) };
}

/**
 * The range of each partition. Retries while the broker is unreachable.
 *
 * @throws TopicMismatchError when the topic does not exist, and the signal's reason
 */
export async function findLogRanges(
  config: KafkaConfig,
  topic: Pick<Topic<never>, 'name'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Map<number, PartitionRange>> {
  const topicName = topicNameOf(config, topic);
  const onFailure = (error: unknown) => {
    if (isPermanentError(error)) throw error;
    logger.warn({ error, topic: topicName }, 'the ends of the topic could not be read, retrying');
  };
  const read = () => withAdmin(config, logger, (admin) => readRanges(admin, topicName));
  return retry(read, { backoff: BACKOFF, signal, onFailure });
}

/**
 * The offset at which a consumer starts to read.
 *
 * @param position null: the consumer has read nothing, and starts with the first record that was ever published
 * @throws OffsetOutOfRangeError when the log lacks records that the consumer has not read, or ends before the position
 */
export function startOffset(position: bigint | null, range: PartitionRange, place: PositionPlace): bigint {
  const offset = position ?? 0n;
  if (offset < range.start || offset > range.end) throw outOfRangeError(position, range, place);
  return offset;
}

/**
 * Checks the next record of a consumer. After a gap it is valid only if the log still contains the position: KafkaJS silently jumps
 * to the start of the log when its offset was deleted.
 *
 * @throws OffsetOutOfRangeError
 */
export async function requireContiguous(
  position: bigint,
  next: bigint,
  findRange: () => Promise<PartitionRange>,
  place: PositionPlace,
): Promise<void> {
  if (next === position) return;
  const range = await findRange();
  if (next < position || range.start > position) throw outOfRangeError(position, range, place);
}

function outOfRangeError(
  position: bigint | null,
  { start, end }: PartitionRange,
  { group, topic, partition }: PositionPlace,
): OffsetOutOfRangeError {
  const read = position === null ? 'has read nothing' : `has position ${position}`;
  return new OffsetOutOfRangeError(
    `${group} ${read} in ${topic}/${partition}, but the log contains ${start} to ${end}: ${RESET_POSITIONS}`,
  );
}
