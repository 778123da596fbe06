import { createLogger } from '@fresnel/platform';
import { createTestTopic, FencedStore, type Numbered } from '@fresnel/testing/bus';
import { byFaultForm, until } from '@fresnel/testing/generic';
import { startTestKafka, type TestKafka } from '@fresnel/testing/servers';
import { type Topic } from '@fresnel/contracts/messages';
import { KafkaBus } from './kafka.bus';

const PARTITIONS = 3;
/** Each start of a broker takes seconds. */
const KINDS = byFaultForm({ short: ['kill'] as const, long: ['stop', 'kill'] as const });
const CHUNK = 30;

/** @param to exclusive */
const integers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

const numbers = (from: number, to: number) => integers(from, to).map((number) => ({ number }));

describe('KafkaBus during a broker outage', () => {
  let kafka: TestKafka;
  let bus: KafkaBus;
  let stop: AbortController;
  let topic: Topic<Numbered>;
  let running: Promise<void>[];
  const consume = (store: FencedStore) => {
    const ended = bus.consume(store.consumer(topic, 'one'), stop.signal);
    running.push(ended);
    return ended;
  };
  beforeAll(async () => {
    kafka = await startTestKafka();
  });
  beforeEach(async () => {
    bus = new KafkaBus({
      config: { brokers: kafka.brokers, clientId: 'tests' },
      logger: createLogger('silent'),
      sessionTimeoutMs: 6_000,
      heartbeatIntervalMs: 200,
    });
    stop = new AbortController();
    running = [];
    topic = await createTestTopic(kafka, PARTITIONS);
  });
  afterEach(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await bus.close();
  });
  afterAll(() => kafka.drop());

  /** Publishes until it is stopped. */
  class Publishing {
    published = 0;
    private isOver = false;

    async run(): Promise<void> {
      while (!this.isOver) {
        await bus.publish(topic, numbers(this.published, this.published + CHUNK), stop.signal);
        this.published += CHUNK;
      }
    }

    end(): void {
      this.isOver = true;
    }
  }

  it('is healthy while the consumer is in its group, and not without the broker, for which a wait goes on', async () => {
    await bus.publish(topic, numbers(0, 3), stop.signal);
    const store = new FencedStore();
    const consuming = [consume(store)];
    expect(bus.findFaults()).toEqual([expect.stringMatching(/^Not a member of the consumer group/)]);
    await until(() => bus.findFaults().length === 0 && store.count === 3, consuming);
    await kafka.stop();
    await until(() => bus.findFaults().length > 0, consuming);
    expect(bus.findStuck()).toEqual([]);
    const applied = bus.waitUntilApplied(topic, `group-of-${topic.name}`, stop.signal);
    await kafka.restart();
    await applied;
    await until(() => bus.findFaults().length === 0, consuming);
    stop.abort();
    await consuming[0];
    expect(bus.findFaults()).toEqual([]);
  });

  /** Removes duplicates. Gaps and a wrong order remain visible. */
  function withoutDuplicates(written: number[]): number[] {
    return [...new Set(written)];
  }

  it.each(KINDS)('loses no record and keeps the order after a %s and a restart', async (how) => {
    const store = new FencedStore();
    const publishing = new Publishing();
    const published = publishing.run();
    const parts = [published, consume(store)];
    await until(() => store.count > 10 * CHUNK, parts);
    await kafka[how]();
    await kafka.restart();
    const publishedBefore = publishing.published;
    await until(() => publishing.published > publishedBefore + 10 * CHUNK, parts);
    publishing.end();
    await published;
    const last = publishing.published;
    const expected = integers(0, PARTITIONS).map((at) => integers(0, last).filter((n) => n % PARTITIONS === at));
    await until(() => expected.every((all, at) => store.numbers[at].includes(all[all.length - 1])), parts);
    expect(store.numbers.map(withoutDuplicates)).toEqual(expected);
    expect(store.fencedWrites).toBe(0);
  });

  it('sends the next message only after a canceled one can no longer arrive', async () => {
    await bus.publish(topic, numbers(0, 3), stop.signal);
    await kafka.kill();
    const canceled = new AbortController();
    const first = bus.publish(topic, numbers(3, 6), canceled.signal);
    canceled.abort(new Error('no longer wanted'));
    await expect(first).rejects.toThrow('no longer wanted');
    const second = bus.publish(topic, numbers(6, 9), stop.signal);
    await kafka.restart();
    await second;
    const store = new FencedStore();
    const consumed = consume(store);
    await until(() => [6, 7, 8].every((number) => store.numbers.flat().includes(number)), [consumed]);
    expect(store.numbers.map((written) => written[0])).toEqual([0, 1, 2]);
    expect(store.numbers.map((written) => written.at(-1))).toEqual([6, 7, 8]);
  });

  // The last test, as it leaves the broker killed.
  it('does not wait for an unreachable broker when it is stopped', async () => {
    const store = new FencedStore();
    const consumed = consume(store);
    await bus.publish(topic, numbers(0, 3), stop.signal);
    await until(() => store.count === 3, [consumed]);
    await kafka.kill();
    const published = bus.publish(topic, numbers(3, 6), stop.signal);
    const next = bus.publish(topic, numbers(6, 9), stop.signal);
    stop.abort(new Error('enough'));
    await expect(published).rejects.toThrow('enough');
    await expect(next).rejects.toThrow('enough');
    await consumed;
    await bus.close();
  });
});
