import { type Logger } from '@fresnel/platform';
import { now, sleep } from '@fresnel/platform/time';
import { type Admin } from 'kafkajs';
import { type KafkaConfig } from './kafka-client';
import { isPermanentError } from './kafka-errors';
import { withAdmin } from './kafka-topics';
import { type GroupOfTopic, listLag, type PartitionLag } from './kafka.group-lag';
import { type PartitionRange, readRanges } from './kafka.log-ranges';

export interface ApplyWait extends GroupOfTopic {
  pollIntervalMs: number;
  /** Pause between two log lines about the consumers that lag. */
  logIntervalMs: number;
}

/**
 * Waits until a group has committed the current end of a topic, also while the broker is unreachable. Consumers commit
 * what they have applied, and their position when they claim a partition.
 *
 * @throws TopicMismatchError, KafkaJSError for permanent errors, the signal's reason
 */
export async function waitUntilGroupApplied(
  config: KafkaConfig,
  wait: ApplyWait,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let ranges: ReadonlyMap<number, PartitionRange> | null = null;
  for (;;) {
    signal.throwIfAborted();
    try {
      await withAdmin(config, logger, async (admin) => {
        ranges ??= await readRanges(admin, wait.topicName);
        await poll(admin, wait, ranges, logger, signal);
      });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (isPermanentError(error)) throw error;
      logger.warn(
        { error, group: wait.group, topic: wait.topicName },
        'cannot read the committed offsets of the consumers',
      );
      await pause(wait.pollIntervalMs, signal);
    }
  }
}

async function poll(
  admin: Admin,
  { topicName, group, pollIntervalMs, logIntervalMs }: ApplyWait,
  ranges: ReadonlyMap<number, PartitionRange>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  for (let loggedAt = now(); ;) {
    const lag = await listLag(admin, { topicName, group }, ranges);
    if (lag.length === 0) return;
    if (now() - loggedAt >= logIntervalMs) {
      loggedAt = now();
      const values = { group, topic: topicName, lag: lag.map(describeLag) };
      logger.warn(values, 'waiting for consumers to apply all published records');
    }
    await pause(pollIntervalMs, signal);
    signal.throwIfAborted();
  }
}

function describeLag({ partition, applied, end }: PartitionLag) {
  return { partition, applied: applied?.toString() ?? null, end: end.toString() };
}

/** Resolves early when the signal aborts. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, signal).catch(() => undefined);
}
