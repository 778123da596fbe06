import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from '@fresnel/platform';
import { type Admin } from 'kafkajs';
import { type KafkaConfig } from './kafka-client';
import { isPermanentError } from './kafka-errors';
import { countPartitions, withAdmin } from './kafka-topics';

export interface ApplyWait {
  topicName: string;
  group: string;
  pollIntervalMs: number;
  /** Pause between two log lines about the consumers that lag. */
  logIntervalMs: number;
}

/** A partition of which the group has not applied all records. */
interface Lag {
  partition: number;
  /** Committed offset; null: the group has committed none. */
  applied: bigint | null;
  end: bigint;
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
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const ends = new Map<number, bigint>();
  for (;;) {
    signal.throwIfAborted();
    try {
      await withAdmin(config, log, async (admin) => {
        if (ends.size === 0) await readEnds(admin, wait.topicName, ends);
        await poll(admin, wait, ends, log, signal);
      });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (isPermanentError(error)) throw error;
      log.warn(
        { error, group: wait.group, topic: wait.topicName },
        'cannot read the committed offsets of the consumers',
      );
      await pause(wait.pollIntervalMs, signal);
    }
  }
}

async function readEnds(admin: Admin, topicName: string, ends: Map<number, bigint>): Promise<void> {
  await countPartitions(admin, topicName);
  const offsets = await admin.fetchTopicOffsets(topicName);
  for (const { partition, high } of offsets.sort((a, b) => a.partition - b.partition))
    ends.set(partition, BigInt(high));
}

async function poll(
  admin: Admin,
  { topicName, group, pollIntervalMs, logIntervalMs }: ApplyWait,
  ends: ReadonlyMap<number, bigint>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  for (let loggedAt = Date.now(); ;) {
    const lag = await listLag(admin, topicName, group, ends);
    if (lag.length === 0) return;
    if (Date.now() - loggedAt >= logIntervalMs) {
      loggedAt = Date.now();
      const values = { group, topic: topicName, lag: lag.map(describeLag) };
      log.warn(values, 'waiting for consumers to apply all published records');
    }
    await pause(pollIntervalMs, signal);
    signal.throwIfAborted();
  }
}

async function listLag(
  admin: Admin,
  topicName: string,
  group: string,
  ends: ReadonlyMap<number, bigint>,
): Promise<Lag[]> {
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topicName] });
  const applied = new Map(committed.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  return [...ends].flatMap(([partition, end]) => {
    const at = applied.get(partition) ?? -1n;
    // Without a commit the offset is -1. An empty partition ends at 0.
    return end === 0n || at >= end ? [] : [{ partition, applied: at < 0n ? null : at, end }];
  });
}

function describeLag({ partition, applied, end }: Lag) {
  return { partition, applied: applied?.toString() ?? null, end: end.toString() };
}

/** Resolves early when the signal aborts. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
