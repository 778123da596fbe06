import { setTimeout as sleep } from 'node:timers/promises';
import { type Topic } from '@fresnel/contracts/messages';
import { messageOf } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
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

/** A topic as it has to be in the cluster. */
export interface TopicLayout {
  topic: Pick<Topic<unknown>, 'name'>;
  /** Fixed for the topic's life: keys are spread over them. */
  partitions: number;
  /** How long records are kept; null: for ever. */
  retentionMs: number | null;
}

/** A layout with the topic's name in the cluster. */
interface NamedLayout extends TopicLayout {
  name: string;
}

export interface Replication {
  replicationFactor: number;
  /** Copies that have to be written before a record counts as published. */
  minInsyncReplicas: number;
}

/** Brokers know of a new topic well within this. */
const KNOWN_AFTER_MS = 10_000;

/** A slot with all its transactions is one record. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

/**
 * Makes the topics that are missing. Does nothing else to those that exist.
 *
 * @throws TopicMismatchError when one exists in another layout
 */
export async function createTopics(
  config: KafkaConfig,
  layouts: readonly TopicLayout[],
  replication: Replication,
  log: Logger,
): Promise<void> {
  const topics = layouts.map((layout) => ({ ...layout, name: topicNameOf(config, layout.topic) }));
  await withAdmin(config, log, async (admin) => {
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
        // Made, and not known to all brokers yet: what follows waits for that.
        if (!isUnknownTopic(error)) throw error;
      });
      log.info({ topics: missing.map(({ name }) => name) }, 'topics created');
    }
    const problems = await Promise.all(topics.map((layout) => compareOnceKnown(admin, layout, replication)));
    if (problems.flat().length > 0) throw new TopicMismatchError(problems.flat().join('\n'));
  });
}

/** @throws TopicMismatchError where there is no such topic */
export async function countPartitions(admin: Admin, name: string): Promise<number> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
    return topics[0].partitions.length;
  } catch (error) {
    if (!isUnknownTopic(error)) throw error;
    throw new TopicMismatchError(`there is no topic ${name}: create the topics first`, { cause: error });
  }
}

/**
 * Runs a few administrative requests on a connection of their own.
 *
 * @throws KafkaUnavailableError, KafkaRefusalError when there is no connection; what the requests throw as it comes
 */
export async function withAdmin<Result>(
  config: KafkaConfig,
  log: Logger,
  run: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const admin = createKafkaClient(config, log).admin();
  try {
    await admin.connect().catch((error: unknown) => {
      const ConnectError = isPermanentError(error) ? KafkaPermanentError : KafkaUnavailableError;
      const brokers = config.brokers.join(', ');
      throw new ConnectError(`cannot connect to Kafka at ${brokers}: ${messageOf(error)}`, { cause: error });
    });
    return await run(admin);
  } finally {
    await admin.disconnect();
  }
}

function configOf({ retentionMs }: TopicLayout, { minInsyncReplicas }: Replication): Record<string, string> {
  return {
    'cleanup.policy': 'delete',
    'retention.ms': String(retentionMs ?? -1),
    'retention.bytes': '-1',
    'min.insync.replicas': String(minInsyncReplicas),
    'max.message.bytes': String(MAX_RECORD_BYTES),
  };
}

/** A topic that was made a moment ago may not be known to the broker that is asked. */
async function compareOnceKnown(admin: Admin, layout: NamedLayout, replication: Replication): Promise<string[]> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await compare(admin, layout, replication);
    } catch (error) {
      if (!isUnknownTopic(error) || performance.now() - startedAt > KNOWN_AFTER_MS) throw error;
      await sleep(100);
    }
  }
}

/** @returns what is not as it has to be, each with what to do about it */
async function compare(admin: Admin, layout: NamedLayout, replication: Replication): Promise<string[]> {
  const { name } = layout;
  const wanted = configOf(layout, replication);
  const count = await countPartitions(admin, name);
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames: Object.keys(wanted) }],
  });
  const problems = resources[0].configEntries
    .filter(({ configName, configValue }) => wanted[configName] !== configValue)
    .map(
      ({ configName, configValue }) =>
        `topic ${name} has ${configName}=${configValue}, wanted is ${wanted[configName]}: kafka-configs.sh --alter --entity-type topics --entity-name ${name} --add-config ${configName}=${wanted[configName]}`,
    );
  if (count !== layout.partitions) {
    problems.push(
      `topic ${name} has ${count} partitions, wanted are ${layout.partitions}: set the number to ${count}, or move to a new topic, since stored positions and keys belong to partitions`,
    );
  }
  return problems;
}
