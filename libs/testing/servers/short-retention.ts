import { type Admin, ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '@fresnel/testing/generic';

/** Settings of a broker that deletes expired records at once. The defaults check every five minutes, and delete later. */
export const EAGER_RETENTION = {
  'log.initial.task.delay.ms': '100',
  'log.retention.check.interval.ms': '200',
  'log.segment.delete.delay.ms': '100',
};

/** Longer than consumers need for a record. */
const RETENTION_MS = 5_000;

/**
 * Has the broker delete all segments of a topic because of their age, and then restores its retention. Consumers must have
 * read the records.
 *
 * @param brokers of a broker with `EAGER_RETENTION`
 * @returns the number of records that were deleted since the topic was created
 */
export async function expireSegments(brokers: string[], topicName: string): Promise<number> {
  const admin = new Kafka({ brokers, clientId: 'tests', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const configured = await readTopicConfig(admin, topicName);
    const short = { 'retention.ms': String(RETENTION_MS), 'segment.ms': String(RETENTION_MS / 2) };
    await writeTopicConfig(admin, topicName, { ...configured, ...short });
    const deleted = await waitUntilDeleted(admin, topicName);
    await writeTopicConfig(admin, topicName, configured);
    return deleted;
  } finally {
    await admin.disconnect();
  }
}

/** Waits until each record that existed at the call is deleted. */
async function waitUntilDeleted(admin: Admin, topicName: string): Promise<number> {
  const ends = new Map((await admin.fetchTopicOffsets(topicName)).map(({ partition, high }) => [partition, +high]));
  const startedAt = Date.now();
  for (;;) {
    const now = await admin.fetchTopicOffsets(topicName);
    if (now.every(({ partition, low }) => +low >= (ends.get(partition) ?? 0))) {
      return now.reduce((sum, { low }) => sum + Number(low), 0);
    }
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error(`the broker has not deleted the records of ${topicName}`);
    await sleep(100);
  }
}

/** The configuration that was given to a topic. */
async function readTopicConfig(admin: Admin, name: string): Promise<Record<string, string>> {
  const resource = { type: ConfigResourceTypes.TOPIC, name };
  const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] });
  const given = resources[0].configEntries.filter(({ isDefault }) => !isDefault);
  return Object.fromEntries(given.map(({ configName, configValue }) => [configName, configValue]));
}

/** Replaces the configuration of a topic. */
async function writeTopicConfig(admin: Admin, name: string, config: Record<string, string>): Promise<void> {
  const configEntries = Object.entries(config).map(([entry, value]) => ({ name: entry, value }));
  const resource = { type: ConfigResourceTypes.TOPIC, name, configEntries };
  await admin.alterConfigs({ validateOnly: false, resources: [resource] });
}
