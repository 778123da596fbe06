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
  /** How often it is said who is waited for. */
  logIntervalMs: number;
}

/** A partition that a group has not read as far as is wanted. */
interface Behind {
  partition: number;
  /** Null: the group has committed nothing. */
  applied: bigint | null;
  end: bigint;
}

/**
 * Waits until a group has committed the end that a topic has now; also while the broker is away. Consumers commit what
 * they have applied, and their position when they take a partition up.
 *
 * @throws TopicMismatchError, KafkaJSError for refusals, the signal's reason
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
      log.warn({ error, group: wait.group, topic: wait.topicName }, 'cannot see how far consumers are');
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
  { topicName, group, pollIntervalMs, logIntervalMs: logIntervalMs }: ApplyWait,
  ends: ReadonlyMap<number, bigint>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  for (let toldAt = Date.now(); ;) {
    const behind = await listBehind(admin, topicName, group, ends);
    if (behind.length === 0) return;
    if (Date.now() - toldAt >= logIntervalMs) {
      toldAt = Date.now();
      const values = { group, topic: topicName, behind: behind.map(describeBehind) };
      log.warn(values, 'waiting for consumers to apply what was published');
    }
    await pause(pollIntervalMs, signal);
    signal.throwIfAborted();
  }
}

async function listBehind(
  admin: Admin,
  topicName: string,
  group: string,
  ends: ReadonlyMap<number, bigint>,
): Promise<Behind[]> {
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topicName] });
  const applied = new Map(committed.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  return [...ends].flatMap(([partition, end]) => {
    const at = applied.get(partition) ?? -1n;
    // Without a commit the number is negative, and a partition that nothing was published to has its end at 0.
    return end === 0n || at >= end ? [] : [{ partition, applied: at < 0n ? null : at, end }];
  });
}

function describeBehind({ partition, applied, end }: Behind) {
  return { partition, applied: applied?.toString() ?? null, end: end.toString() };
}

/** Ends early, without a word, when the signal says stop. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
