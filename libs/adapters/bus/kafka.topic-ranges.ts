import { type Logger } from '@fresnel/platform';
import { type KafkaConfig } from './kafka-client';
import { withAdmin } from './kafka-topics';
import { type PartitionRange, readRanges } from './kafka.log-ranges';

/**
 * Reads between which offsets the partitions of topics have records. One attempt.
 *
 * @param topicNames names in the cluster
 * @throws KafkaUnavailableError, KafkaPermanentError, TopicMismatchError
 */
export function readTopicRanges(
  config: KafkaConfig,
  topicNames: readonly string[],
  logger: Logger,
): Promise<Map<string, Map<number, PartitionRange>>> {
  return withAdmin(config, logger, async (admin) => {
    const ranges = new Map<string, Map<number, PartitionRange>>();
    for (const name of topicNames) ranges.set(name, await readRanges(admin, name));
    return ranges;
  });
}
