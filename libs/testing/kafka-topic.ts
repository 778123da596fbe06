import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTopics } from '@fresnel/adapters/bus';
import { type Topic } from '@fresnel/contracts/messages';
import { createLogger } from '@fresnel/platform';
import { type Numbered, numberedTopic } from './bus-contract';
import { type TestKafka } from './test-servers';

/** Makes a topic of a test's own. */
export async function createTestTopic({ brokers }: TestKafka, partitions: number): Promise<Topic<Numbered>> {
  const topic = numberedTopic(`numbers-${randomUUID()}`);
  const layout = { topic, partitions, retentionMs: null };
  const replication = { replicationFactor: 1, minInsyncReplicas: 1 };
  await createTopics({ brokers, clientId: 'tests' }, [layout], replication, createLogger('silent'));
  return topic;
}

/** Waits for something to come true. @throws the error of what ends in vain meanwhile */
export async function until(condition: () => boolean, running: Promise<unknown>[] = []): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const promise of running) {
    promise.catch((error: unknown) => {
      failure = { error };
    });
  }
  const startedAt = Date.now();
  while (!condition()) {
    if (failure) throw failure.error;
    if (Date.now() - startedAt > 50_000) throw new Error('it did not come to that in 50 s');
    await sleep(10);
  }
}
