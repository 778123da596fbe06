import { setTimeout as sleep } from 'node:timers/promises';
import { type Topic } from '@fresnel/contracts/messages';
import { type Logger } from '@fresnel/platform';
import { type KafkaConfig } from './kafka-client';
import { isPermanentError } from './kafka-errors';
import { readRanges } from './kafka.log-ranges';
import { topicNameOf } from './kafka-names';
import { withAdmin } from './kafka-topics';

const RETRY_PAUSE_MS = 500;

/**
 * The number of records that were ever appended to a topic, also those that have expired. Retries while the broker is
 * unreachable.
 *
 * @throws TopicMismatchError when the topic does not exist, and the signal's reason
 */
export async function countAppended(
  config: KafkaConfig,
  topic: Pick<Topic<never>, 'name'>,
  log: Logger,
  signal: AbortSignal,
): Promise<bigint> {
  const topicName = topicNameOf(config, topic);
  for (;;) {
    try {
      const ranges = await withAdmin(config, log, (admin) => readRanges(admin, topicName));
      return [...ranges.values()].reduce((sum, { end }) => sum + end, 0n);
    } catch (error) {
      if (isPermanentError(error)) throw error;
      log.warn({ error, topic: topicName }, 'the end of the topic could not be read, retrying');
      await sleep(RETRY_PAUSE_MS, undefined, { signal });
    }
  }
}
