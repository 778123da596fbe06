import { randomUUID } from 'node:crypto';
import { createTopics } from '@fresnel/adapters/bus';
import { type Topic } from '@fresnel/contracts/messages';
import { createLogger } from '@fresnel/platform';
import { type TestKafka } from '@fresnel/testing/servers';
import { type Numbered, numberedTopic } from './numbered-topic';

/** Creates a topic for one test. */
export async function createTestTopic(
  { brokers }: Pick<TestKafka, 'brokers'>,
  partitions: number,
  name = `numbers-${randomUUID()}`,
): Promise<Topic<Numbered>> {
  const topic = numberedTopic(name);
  const layout = { topic, partitions, retentionMs: null };
  const replication = { replicationFactor: 1, minInsyncReplicas: 1 };
  await createTopics({ brokers, clientId: 'tests' }, [layout], replication, createLogger('silent'));
  return topic;
}
