import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@fresnel/platform';
import { createTestTopic, FencedStore } from '@fresnel/testing/bus';
import { captureLog, type LogLine, until } from '@fresnel/testing/generic';
import { type SharedKafka, sharedKafka } from '@fresnel/testing/servers';
import { Kafka, logLevel } from 'kafkajs';
import { KafkaBus } from './kafka.bus';
import { TopicMismatchError } from './kafka-errors';
import { waitUntilGroupApplied } from './kafka.wait-until-applied';

const numbers = (count: number) => Array.from({ length: count }, (_, number) => ({ number }));

const isLagReport = ({ msg }: LogLine) => msg === 'waiting for consumers to apply all published records';

describe('waiting for a group', () => {
  let kafka: SharedKafka;
  let bus: KafkaBus;
  let stop: AbortController;
  let running: Promise<void>[];
  beforeAll(async () => {
    kafka = await sharedKafka();
  });
  beforeEach(() => {
    const config = { brokers: kafka.brokers, clientId: 'tests' };
    bus = new KafkaBus({ config, logger: createLogger('silent'), heartbeatIntervalMs: 200, retryPauseMs: 1 });
    stop = new AbortController();
    running = [];
  });
  afterEach(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await bus.close();
  });

  async function withAdmin<Result>(run: (admin: ReturnType<Kafka['admin']>) => Promise<Result>): Promise<Result> {
    const admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      return await run(admin);
    } finally {
      await admin.disconnect();
    }
  }

  async function setCommitted(topic: string, groupId: string, offsets: number[]): Promise<void> {
    const partitions = offsets.map((offset, partition) => ({ partition, offset: String(offset) }));
    await withAdmin((admin) => admin.setOffsets({ groupId, topic, partitions }));
  }

  async function waitForCommit(topic: string, groupId: string, wanted: string): Promise<void> {
    await withAdmin(async (admin) => {
      for (;;) {
        const [{ partitions }] = await admin.fetchOffsets({ groupId, topics: [topic] });
        if (partitions[0].offset === wanted) return;
        await sleep(10);
      }
    });
  }

  it('does not wait for new records if the previous owner applied all but committed less', async () => {
    const topic = await createTestTopic(kafka, 2);
    await bus.publish(topic, numbers(10), stop.signal);
    await setCommitted(topic.name, `group-of-${topic.name}`, [5, 3]);
    const store = new FencedStore();
    store.setPosition(0, 5n);
    store.setPosition(1, 5n);
    const applied = bus.waitUntilApplied(topic, `group-of-${topic.name}`, stop.signal);
    running.push(bus.consume(store.consumer(topic, 'next'), stop.signal));
    await applied;
    expect(store.count).toBe(0);
  });

  it('waits for a group that starts from an empty store, although it had committed', async () => {
    const topic = await createTestTopic(kafka, 1);
    const group = `group-of-${topic.name}`;
    await bus.publish(topic, numbers(3), stop.signal);
    await setCommitted(topic.name, group, [3]);
    const store = new FencedStore();
    const gate = new AbortController();
    const open = new Promise((resolve) => {
      gate.signal.addEventListener('abort', resolve);
    });
    const ended = bus.consume(store.consumer(topic, 'emptied', { before: () => open.then() }), stop.signal);
    running.push(ended);
    await waitForCommit(topic.name, group, '0');
    const { logger, lines } = captureLog();
    const config = { brokers: kafka.brokers, clientId: 'tests' };
    const wait = { topicName: topic.name, group, pollIntervalMs: 10, logIntervalMs: 50 };
    const applied = waitUntilGroupApplied(config, wait, logger, stop.signal);
    await until(() => lines.some(isLagReport), [ended]);
    gate.abort();
    await applied;
    expect(store.count).toBe(3);
  });

  it('logs the lag of each partition', async () => {
    const topic = await createTestTopic(kafka, 3);
    await bus.publish(topic, [{ number: 0 }, { number: 1 }, { number: 3 }], stop.signal);
    const group = `half-of-${topic.name}`;
    await setCommitted(topic.name, group, [1]);
    const { logger, lines } = captureLog();
    const config = { brokers: kafka.brokers, clientId: 'tests' };
    const wait = { topicName: topic.name, group, pollIntervalMs: 10, logIntervalMs: 50 };
    const waiting = waitUntilGroupApplied(config, wait, logger, stop.signal);
    const ended = expect(waiting).rejects.toThrow('enough');
    await until(() => lines.some(isLagReport));
    stop.abort(new Error('enough'));
    await ended;
    const lag = [
      { partition: 0, applied: '1', end: '2' },
      { partition: 1, applied: null, end: '1' },
    ];
    expect(lines.find(isLagReport)).toMatchObject({ level: 'warn', group, topic: topic.name, lag });
  });

  it('names a missing topic', async () => {
    const topic = { ...(await createTestTopic(kafka, 1)), name: 'not-there' };
    await expect(bus.waitUntilApplied(topic, 'one', stop.signal)).rejects.toThrow(TopicMismatchError);
  });
});
