import { type Topic } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type Admin } from 'kafkajs';
import { type KafkaConfig } from './kafka-client';
import { groupNameOf, topicNameOf } from './kafka-names';
import { withAdmin } from './kafka-topics';
import { type PartitionRange, readRanges } from './kafka.log-ranges';

/** A topic and the group that consumes it. */
export interface ConsumedTopic {
  topic: Pick<Topic<never>, 'name'>;
  group: string;
}

/** Consumers or producers of the topics still run. */
export class TopicsInUseError extends FresnelError {
  readonly code = 'topics-in-use';
  readonly isRetryable = false;
}

/**
 * Deletes all records of topics that no service uses.
 *
 * @param quietMs a producer that runs appends a record to one of the topics in this time
 * @returns the offset of the next record of each partition, by the declared name of the topic
 * @throws TopicsInUseError
 */
export async function resetLogs(
  config: KafkaConfig,
  consumed: readonly ConsumedTopic[],
  quietMs: number,
  logger: Logger,
): Promise<Map<string, Map<number, bigint>>> {
  return withAdmin(config, logger, async (admin) => {
    for (const { group } of consumed) await requireNoMembers(admin, groupNameOf(config, group));
    const names = consumed.map(({ topic }) => topicNameOf(config, topic));
    await requireQuiet(admin, names, quietMs);
    const ends = new Map<string, Map<number, bigint>>();
    for (const { topic } of consumed) ends.set(topic.name, await deleteRecords(admin, topicNameOf(config, topic)));
    return ends;
  });
}

async function requireNoMembers(admin: Admin, group: string): Promise<void> {
  const { groups } = await admin.describeGroups([group]);
  if (groups.some(({ members }) => members.length > 0))
    throw new TopicsInUseError(`the consumer group ${group} still has members: stop all services first`);
}

async function requireQuiet(admin: Admin, names: readonly string[], quietMs: number): Promise<void> {
  const countRecords = async () => {
    const ranges = await Promise.all(names.map((name) => readRanges(admin, name)));
    return ranges.flatMap((ranges) => [...ranges.values()]).reduce((sum, { end }) => sum + end, 0n);
  };
  const before = await countRecords();
  await sleep(quietMs);
  const count = (await countRecords()) - before;
  if (count > 0n) throw new TopicsInUseError(`${count} records were published meanwhile: stop every ingest first`);
}

/** @returns the end of each partition */
async function deleteRecords(admin: Admin, topic: string): Promise<Map<number, bigint>> {
  const ranges = await readRanges(admin, topic);
  const filled = [...ranges].filter(([, { start, end }]: [number, PartitionRange]) => start < end);
  const partitions = filled.map(([partition, { end }]) => ({ partition, offset: String(end) }));
  if (partitions.length > 0) await admin.deleteTopicRecords({ topic, partitions });
  return new Map([...ranges].map(([partition, { end }]) => [partition, end]));
}
