import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { eventually } from '@fresnel/testing/generic';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { type Environment } from './fresnel-process';

/** Deletes all records of the topics, as their retention does. */
export async function expireRecords(env: Environment): Promise<void> {
  await withAdmin(env, async (admin, topics) => {
    for (const topic of topics) {
      const offsets = await admin.fetchTopicOffsets(topic);
      const filled = offsets.filter(({ low, high }) => low !== high);
      const partitions = filled.map(({ partition, high }) => ({ partition, offset: high }));
      if (partitions.length > 0) await admin.deleteTopicRecords({ topic, partitions });
    }
  });
}

/** Deletes the topics. */
export async function deleteTopics(env: Environment): Promise<void> {
  await withAdmin(env, async (admin, topics) => {
    await admin.deleteTopics({ topics });
    await eventually('the topics are deleted', async () => {
      const existing = await admin.listTopics();
      return !topics.some((topic) => existing.includes(topic));
    });
  });
}

async function withAdmin(
  { KAFKA_BROKERS: brokers, KAFKA_PREFIX: prefix }: Environment,
  act: (admin: Admin, topics: string[]) => Promise<void>,
): Promise<void> {
  const admin = new Kafka({ brokers: brokers.split(','), clientId: 'tests', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    await act(
      admin,
      [SLOT_EVENTS, TREE_UPDATES].map(({ name }) => `${prefix}${name}`),
    );
  } finally {
    await admin.disconnect();
  }
}
