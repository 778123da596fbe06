import { type Topic } from '@fresnel/contracts/messages';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { type Logger, retry } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { type Admin, ConfigResourceTypes } from 'kafkajs';
import { createKafkaClient, type KafkaConfig } from './kafka-client';
import {
  isPermanentError,
  isUnknownTopic,
  KafkaPermanentError,
  KafkaUnavailableError,
  TopicMismatchError,
} from './kafka-errors';
import { topicNameOf } from './kafka-names';
import { correctCompression, OWN_COMPRESSION } from './kafka.compression';

/** The required layout of a topic. */
export interface TopicLayout {
  topic: Pick<Topic<unknown>, 'name'>;
  /** Cannot change later, because keys are mapped to partitions. */
  partitions: number;
  /** How long records are kept; null: without limit. */
  retentionMs: number | null;
}

/** A layout with the topic's name in the cluster. */
interface NamedLayout extends TopicLayout {
  name: string;
}

export interface Replication {
  replicationFactor: number;
  /** Replicas that must have a record before it counts as published. */
  minInsyncReplicas: number;
}

/** Maximum time until all brokers list a new topic. */
const TOPIC_VISIBLE_TIMEOUT_MS = 10_000;
const VISIBLE_BACKOFF = { firstMs: 100, longestMs: 100 };

/** Large, because one record contains a slot with all its transactions. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

/** The broker deletes whole segments. So records are stored for at most this much longer than the retention. */
const MAX_SEGMENT_MS = 86_400_000;

/**
 * Creates missing topics. Existing topics are compared with their layout; only their compression is changed.
 *
 * @throws TopicMismatchError when a topic exists with another layout
 */
export async function createTopics(
  config: KafkaConfig,
  layouts: readonly TopicLayout[],
  replication: Replication,
  logger: Logger,
): Promise<void> {
  const topics = layouts.map((layout) => ({ ...layout, name: topicNameOf(config, layout.topic) }));
  await withAdmin(config, logger, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const missing = topics.filter(({ name }) => !existing.has(name));
    if (missing.length > 0) {
      const creation = admin.createTopics({
        waitForLeaders: true,
        topics: missing.map((layout) => ({
          topic: layout.name,
          numPartitions: layout.partitions,
          replicationFactor: replication.replicationFactor,
          configEntries: Object.entries(configOf(layout, replication)).map(([name, value]) => ({ name, value })),
        })),
      });
      await creation.catch((error: unknown) => {
        // The topic was created, but not all brokers list it yet. The comparison below waits for that.
        if (!isUnknownTopic(error)) throw error;
      });
      logger.info({ topics: missing.map(({ name }) => name) }, 'topics created');
    }
    const problems = await Promise.all(
      topics.map(async (layout) => {
        const isCorrected = existing.has(layout.name) && (await correctCompression(admin, layout.name, logger));
        return compareWhenVisible(admin, layout, replication, isCorrected);
      }),
    );
    if (problems.flat().length > 0) throw new TopicMismatchError(problems.flat().join('\n'));
  });
}

/** The names in the cluster of those topics that do not exist. */
export function findMissingTopics(
  config: KafkaConfig,
  topics: readonly Pick<Topic<never>, 'name'>[],
  logger: Logger,
): Promise<string[]> {
  return withAdmin(config, logger, async (admin) => {
    const existing = new Set(await admin.listTopics());
    return topics.map((topic) => topicNameOf(config, topic)).filter((name) => !existing.has(name));
  });
}

/** Checks that topics exist. @throws TopicMismatchError, KafkaUnavailableError, KafkaPermanentError */
export async function requireTopics(
  config: KafkaConfig,
  topics: readonly TopicLayout['topic'][],
  logger: Logger,
): Promise<void> {
  await withAdmin(config, logger, async (admin) => {
    for (const topic of topics) await countPartitions(admin, topicNameOf(config, topic));
  });
}

/** @throws TopicMismatchError when the topic does not exist */
export async function countPartitions(admin: Admin, name: string): Promise<number> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
    return topics[0].partitions.length;
  } catch (error) {
    if (!isUnknownTopic(error)) throw error;
    throw new TopicMismatchError(`topic ${name} does not exist: run the app "migrate" first`, { cause: error });
  }
}

/**
 * Runs administrative requests on a new connection.
 *
 * @throws KafkaUnavailableError while the cluster is unreachable, KafkaPermanentError when it rejects the connection; other
 * errors of the requests unchanged
 */
export async function withAdmin<Result>(
  config: KafkaConfig,
  logger: Logger,
  run: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const admin = createKafkaClient(config, logger).admin();
  try {
    await admin.connect().catch((error: unknown) => {
      const ConnectError = isPermanentError(error) ? KafkaPermanentError : KafkaUnavailableError;
      const brokers = config.brokers.join(', ');
      throw new ConnectError(`cannot connect to Kafka at ${brokers}: ${messageOf(error)}`, { cause: error });
    });
    return await run(admin);
  } catch (error) {
    if (error instanceof FresnelError || isPermanentError(error)) throw error;
    throw new KafkaUnavailableError(`Kafka is unavailable: ${messageOf(error)}`, { cause: error });
  } finally {
    await admin.disconnect();
  }
}

function configOf({ retentionMs }: TopicLayout, { minInsyncReplicas }: Replication): Record<string, string> {
  return {
    'cleanup.policy': 'delete',
    'retention.ms': String(retentionMs ?? -1),
    'retention.bytes': '-1',
    'segment.ms': String(Math.min(retentionMs ?? MAX_SEGMENT_MS, MAX_SEGMENT_MS)),
    'min.insync.replicas': String(minInsyncReplicas),
    'max.message.bytes': String(MAX_RECORD_BYTES),
    ...OWN_COMPRESSION,
    // The retention counts from here. With the time of a producer whose clock is a week behind, records would expire at once.
    'message.timestamp.type': 'LogAppendTime',
  };
}

/** Retries while a broker does not list a new topic yet, or does not show a setting that was corrected. */
function compareWhenVisible(
  admin: Admin,
  layout: NamedLayout,
  replication: Replication,
  isCorrected: boolean,
): Promise<string[]> {
  const startedAt = now();
  const isOver = () => now() - startedAt > TOPIC_VISIBLE_TIMEOUT_MS;
  const attempt = async () => {
    const problems = await compare(admin, layout, replication);
    if (problems.length > 0 && isCorrected && !isOver()) throw new TopicMismatchError(problems.join('\n'));
    return problems;
  };
  const onFailure = (error: unknown) => {
    if (isOver() || !(isUnknownTopic(error) || error instanceof TopicMismatchError)) throw error;
  };
  return retry(attempt, { backoff: VISIBLE_BACKOFF, onFailure });
}

/** @returns one sentence for each difference, with the command that fixes it */
async function compare(admin: Admin, layout: NamedLayout, replication: Replication): Promise<string[]> {
  const { name } = layout;
  const required = configOf(layout, replication);
  const count = await countPartitions(admin, name);
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames: Object.keys(required) }],
  });
  const problems = resources[0].configEntries
    .filter(({ configName, configValue }) => required[configName] !== configValue)
    .map(
      ({ configName, configValue }) =>
        `topic ${name} has ${configName}=${configValue}, required is ${required[configName]}: kafka-configs.sh --alter --entity-type topics --entity-name ${name} --add-config ${configName}=${required[configName]}`,
    );
  if (count !== layout.partitions) {
    problems.push(
      `topic ${name} has ${count} partitions, required are ${layout.partitions}: set KAFKA_PARTITIONS to ${count}, or use a new topic, because stored positions and keys belong to partitions`,
    );
  }
  return problems;
}
