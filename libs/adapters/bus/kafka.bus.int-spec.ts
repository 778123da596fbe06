import { setTimeout as sleep } from 'node:timers/promises';
import { FencedError, UnreadableMessageError } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { createLogger } from '@fresnel/platform';
import { describeBusContract } from './bus.contract';
import { CONTRACT_PARTITIONS, createTestTopic, FencedStore, numberedTopic } from '@fresnel/testing/bus';
import { eventually, until } from '@fresnel/testing/generic';
import { type SharedKafka, sharedKafka } from '@fresnel/testing/servers';
import { Kafka, logLevel } from 'kafkajs';
import { OffsetOutOfRangeError } from './bus';
import { TopicMismatchError } from './kafka-errors';
import { KafkaBus } from './kafka.bus';

class StoreUnavailable extends FresnelError {
  readonly code = 'test-store-unavailable';
  readonly isRetryable = true;
}

/** @param to exclusive */
const integers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

const numbers = (from: number, to: number) => integers(from, to).map((number) => ({ number }));

describe('KafkaBus', () => {
  let kafka: SharedKafka;
  let bus: KafkaBus;
  let stop: AbortController;
  beforeAll(async () => {
    kafka = await sharedKafka();
  });

  /** Running consumers. They leave their group when the signal aborts. */
  const consuming: { mock: { results: { value?: unknown }[] } }[] = [];
  const waitForConsumers = () =>
    Promise.allSettled(consuming.splice(0).flatMap(({ mock }) => mock.results.map(({ value }) => value)));

  function createBus(more = {}): KafkaBus {
    const created = new KafkaBus({
      config: { brokers: kafka.brokers, clientId: 'tests' },
      logger: createLogger('silent'),
      retryPauseMs: 1,
      heartbeatIntervalMs: 200,
      ...more,
    });
    consuming.push(jest.spyOn(created, 'consume'));
    return created;
  }

  beforeEach(() => {
    bus = createBus();
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await waitForConsumers();
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

  /** Deletes the first five records, as retention does. */
  const deleteRecords = (topic: string) =>
    withAdmin(async (admin) => {
      await admin.fetchTopicOffsets(topic); // KafkaJS learns the leader of the partition from this request
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '5' }] });
    });

  describeBusContract(async () => {
    const contractBus = createBus();
    const topic = await createTestTopic(kafka, CONTRACT_PARTITIONS);
    return { bus: contractBus, topic, close: () => contractBus.close() };
  });

  it('starts at the stored position, regardless of the committed offset', async () => {
    const topic = await createTestTopic(kafka, 1);
    await bus.publish(topic, numbers(0, 10), stop.signal);
    const first = new FencedStore();
    const firstStop = new AbortController();
    const ended = bus.consume(first.consumer(topic, 'first'), AbortSignal.any([stop.signal, firstStop.signal]));
    await until(() => first.count === 10, [ended]);
    firstStop.abort();
    await ended;
    const committed = await withAdmin((admin) =>
      admin.fetchOffsets({ groupId: `group-of-${topic.name}`, topics: [topic.name] }),
    );
    expect(committed[0].partitions[0].offset).toBe('10');

    const emptied = new FencedStore();
    const restored = new FencedStore();
    restored.setPosition(0, 3n);
    const secondStop = new AbortController();
    const second = bus.consume(emptied.consumer(topic, 'emptied'), AbortSignal.any([stop.signal, secondStop.signal]));
    await until(() => emptied.count === 10, [second]);
    secondStop.abort();
    await second;
    const third = bus.consume(restored.consumer(topic, 'restored'), stop.signal);
    await until(() => restored.count === 7, [third]);
    expect(restored.numbers[0]).toEqual(integers(3, 10));
  });

  it('does not skip records that were deleted before it starts', async () => {
    const topic = await createTestTopic(kafka, 1);
    await bus.publish(topic, numbers(0, 10), stop.signal);
    await deleteRecords(topic.name);
    const store = new FencedStore();
    store.setPosition(0, 2n);
    await expect(bus.consume(store.consumer(topic, 'late'), stop.signal)).rejects.toThrow(OffsetOutOfRangeError);
    expect(store.count).toBe(0);
  });

  it('does not start in the middle of a log of which it has read nothing', async () => {
    const topic = await createTestTopic(kafka, 1);
    await bus.publish(topic, numbers(0, 10), stop.signal);
    await deleteRecords(topic.name);
    const store = new FencedStore();
    const started = bus.consume(store.consumer(topic, 'new'), stop.signal);
    await expect(started).rejects.toThrow(`has read nothing in ${topic.name}/0, but the log contains 5 to 10`);
    expect(store.count).toBe(0);
  });

  it('does not publish to a topic that was deleted and created again', async () => {
    const topic = await createTestTopic(kafka, 1);
    await bus.publish(topic, numbers(0, 5), stop.signal);
    await bus.publish(topic, numbers(5, 10), stop.signal);
    await withAdmin(async (admin) => {
      await admin.deleteTopics({ topics: [topic.name] });
      await eventually('the topic is deleted', async () => !(await admin.listTopics()).includes(topic.name));
    });
    await createTestTopic(kafka, 1, topic.name);
    const published = bus.publish(topic, numbers(10, 20), stop.signal);
    await expect(published).rejects.toThrow(TopicMismatchError);
    await expect(published).rejects.toThrow(`${topic.name}/0 was deleted and created again`);
  });

  it('does not skip records that are deleted while a batch waits for its retry', async () => {
    const topic = await createTestTopic(kafka, 1);
    await bus.publish(topic, numbers(0, 10), stop.signal);
    const store = new FencedStore();
    store.setPosition(0, 2n);
    let isStoreDown = true;
    let attempts = 0;
    const before = () => {
      attempts++;
      return isStoreDown ? Promise.reject(new StoreUnavailable('for a while')) : Promise.resolve();
    };
    const ended = bus.consume(store.consumer(topic, 'waiting', { before, maxBatch: 2 }), stop.signal);
    await until(() => attempts > 1, [ended]);
    let hasFailed = false;
    ended.catch(() => (hasFailed = true));
    await deleteRecords(topic.name);
    const attemptsBefore = attempts;
    await until(() => hasFailed || attempts > attemptsBefore + 2);
    isStoreDown = false;
    await expect(ended).rejects.toThrow(OffsetOutOfRangeError);
    expect(store.count).toBe(0);
  });

  it('fails with a record that it cannot decode', async () => {
    const topic = await createTestTopic(kafka, 1);
    const producer = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).producer();
    await producer.connect();
    await producer.send({ topic: topic.name, messages: [{ key: '0', value: 'not an encoded message' }] });
    await producer.disconnect();
    const ended = bus.consume(new FencedStore().consumer(topic, 'one'), stop.signal);
    await expect(ended).rejects.toThrow(UnreadableMessageError);
    await expect(ended).rejects.toThrow(`record 0 of ${topic.name}/0`);
  });

  it('reads other partitions while a batch waits for its retry, and retries the same records', async () => {
    const topic = await createTestTopic(kafka, 3);
    const store = new FencedStore();
    const waiting: string[] = [];
    let isOpen = false;
    const consumer = store.consumer(topic, 'one', {
      before: ({ partition, from, to }) => {
        if (partition !== 0 || isOpen) return Promise.resolve();
        waiting.push(`${from}-${to}`);
        return Promise.reject(new StoreUnavailable('for this partition'));
      },
    });
    const ended = bus.consume(consumer, stop.signal);
    await bus.publish(topic, numbers(0, 6), stop.signal);
    await until(() => waiting.length > 0 && store.count === 4, [ended]);
    await bus.publish(topic, numbers(6, 30), stop.signal);
    const seen = waiting.length;
    await until(() => store.count === 20 && waiting.length > seen + 2, [ended]);
    expect(new Set(waiting.slice(1)).size).toBe(1);
    isOpen = true;
    await until(() => store.count === 30, [ended]);
    expect(store.numbers[0]).toEqual(integers(0, 30).filter((number) => number % 3 === 0));
  });

  it('claims a partition again after another consumer claimed it, and keeps reading the others', async () => {
    const topic = await createTestTopic(kafka, 3);
    const store = new FencedStore();
    let isFirst = true;
    const consumer = store.consumer(topic, 'one', {
      before: ({ partition }) => {
        if (partition !== 0 || !isFirst) return Promise.resolve();
        isFirst = false;
        return Promise.reject(new FencedError('claimed by another consumer'));
      },
    });
    const ended = bus.consume(consumer, stop.signal);
    await bus.publish(topic, numbers(0, 30), stop.signal);
    await until(() => store.count === 30, [ended]);
    expect(store.claims.map(({ partition }) => partition).sort()).toEqual([0, 0, 1, 2]);
    expect(store.numbers[0]).toEqual(integers(0, 30).filter((number) => number % 3 === 0));
  });

  it('remains in the group during a batch that is longer than the session timeout', async () => {
    const topic = await createTestTopic(kafka, 1);
    const store = new FencedStore();
    const patient = createBus({ sessionTimeoutMs: 3_000 });
    const consumer = store.consumer(topic, 'slow', { before: () => sleep(6_000) });
    const ended = patient.consume(consumer, stop.signal);
    await bus.publish(topic, numbers(0, 1), stop.signal);
    await until(() => store.count === 1, [ended]);
    await bus.publish(topic, numbers(1, 2), stop.signal);
    await until(() => store.count === 2, [ended]);
    expect(store.claims).toHaveLength(1);
    expect(store.fencedWrites).toBe(0);
  });

  it('names a missing topic', async () => {
    const missing = numberedTopic('not-there');
    const problem = 'topic not-there does not exist';
    await expect(bus.publish(missing, numbers(0, 1), stop.signal)).rejects.toThrow(problem);
    await expect(bus.consume(new FencedStore().consumer(missing, 'one'), stop.signal)).rejects.toThrow(problem);
  });

  describe('with a log whose positions were reset', () => {
    const { signal } = new AbortController();
    const busOf = (generation: number, more = {}) =>
      createBus({ findGeneration: () => Promise.resolve(generation), ...more });

    it('skips what a producer of the generation before publishes, and moves the position over it', async () => {
      const topic = await createTestTopic(kafka, 1);
      const [frozen, next] = [busOf(1), busOf(2)];
      await next.publish(topic, numbers(0, 3), signal);
      await frozen.publish(topic, numbers(500, 502), signal);
      await next.publish(topic, numbers(3, 4), signal);
      await frozen.publish(topic, numbers(502, 503), signal);
      const store = new FencedStore();
      const skipped: number[] = [];
      const consumer = busOf(2, { onSkipped: (records: number) => skipped.push(records) });
      const ends: bigint[] = [];
      const before = ({ to }: { to: bigint }) => {
        ends.push(to);
        return Promise.resolve();
      };
      void consumer.consume(store.consumer(topic, 'one', { before }), stop.signal);
      await eventually('everything is read', () => ends.at(-1) === 7n);
      await consumer.waitUntilApplied(topic, `group-of-${topic.name}`, stop.signal);
      expect([store.numbers, ends, skipped]).toEqual([[integers(0, 4)], [3n, 5n, 6n, 7n], [2, 1]]);
      await Promise.all([frozen.close(), next.close()]);
    });

    it('ends if the database is older than the log', async () => {
      const topic = await createTestTopic(kafka, 1);
      const next = busOf(2);
      await next.publish(topic, numbers(0, 1), signal);
      const ended = busOf(1).consume(new FencedStore().consumer(topic, 'one'), stop.signal);
      await expect(ended).rejects.toThrow(TopicMismatchError);
      await next.close();
    });
  });
});
