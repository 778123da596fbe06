import { findLogRanges, type KafkaConfig, startOffset, topicNameOf } from '@fresnel/adapters/bus';
import { type ProjectionStore } from '@fresnel/adapters/store-write';
import { PROJECTOR_GROUP, PROVER_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type Logger } from '@fresnel/platform';

/** The topics and their consumers. */
const CONSUMERS = [
  { topic: SLOT_EVENTS, group: PROJECTOR_GROUP },
  { topic: TREE_UPDATES, group: PROVER_GROUP },
];

/**
 * Checks that the topics contain what their consumers have read. Records that are appended to other topics let them grow past
 * the positions: from then on the difference cannot be seen.
 *
 * @returns whether consumers have read from the topics
 * @throws OffsetOutOfRangeError when a topic ends before the position of its consumers: it is another topic than the one that
 * they have read; StoreUnavailableError
 */
export async function requireReadLogs(
  config: KafkaConfig,
  store: Pick<ProjectionStore, 'findPositions'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<boolean> {
  let count = 0;
  for (const { topic, group } of CONSUMERS) {
    const key = { consumerGroup: group, topic: topicNameOf(config, topic) };
    // Positions first: a consumer that runs moves on meanwhile.
    const positions = await store.findPositions(key);
    const ranges = await findLogRanges(config, topic, logger, signal);
    for (const [partition, position] of positions) {
      const end = ranges.get(partition)?.end ?? 0n;
      // Records that expired are a matter of the consumer alone.
      startOffset(position, { start: 0n, end }, { group, topic: key.topic, partition });
    }
    count += positions.size;
  }
  return count > 0;
}
