import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FencedError } from '@fresnel/contracts/messages';
import { createLogger } from '@fresnel/platform';
import { now, useTime } from '@fresnel/platform/time';
import { createTestTopic, FencedStore, type Numbered } from '@fresnel/testing/bus';
import { ManualTime, until } from '@fresnel/testing/generic';
import { type SharedKafka, sharedKafka } from '@fresnel/testing/servers';
import { type Consumer } from './bus';
import { KafkaBus } from './kafka.bus';

const ROOT = resolve(__dirname, '../../..');
const PARTITIONS = 4;
const COUNT = 400;
/** Records until both members have read some: the second one may need a while to join. */
const MANY = 20_000;

/** @param to exclusive */
const integers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

const numbers = (from: number, to: number) => integers(from, to).map((number) => ({ number }));

describe('a group of consumers', () => {
  let kafka: SharedKafka;
  let bus: KafkaBus;
  let stop: AbortController;
  let running: Promise<void>[];
  const consume = (consumer: Consumer<Numbered>, signal = stop.signal) => {
    const ended = bus.consume(consumer, signal);
    running.push(ended);
    return ended;
  };
  beforeAll(async () => {
    kafka = await sharedKafka();
  });
  beforeEach(() => {
    const config = { brokers: kafka.brokers, clientId: 'tests' };
    // Longer than a busy machine pauses: no member leaves its group against its will.
    bus = new KafkaBus({ config, logger: createLogger('silent'), sessionTimeoutMs: 20_000, heartbeatIntervalMs: 200 });
    stop = new AbortController();
    running = [];
  });
  afterEach(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await bus.close();
  });
  const expected = (to: number) =>
    integers(0, PARTITIONS).map((partition) => integers(0, to).filter((number) => number % PARTITIONS === partition));

  it('is stuck while a claim hangs', async () => {
    const topic = await createTestTopic(kafka, 1);
    let finish = (): void => undefined;
    const claimPartition = jest.fn(
      () =>
        new Promise<null>(
          (resolve) =>
            (finish = () => {
              resolve(null);
            }),
        ),
    );
    const consumer = { group: 'hanging', topic, maxBatch: 1, claimPartition, onBatch: () => Promise.resolve() };
    const consuming = consume(consumer);
    await until(() => claimPartition.mock.calls.length > 0, [consuming]);
    expect(bus.findStuck()).toEqual([]);
    const restoreTime = useTime(new ManualTime(now() + 301_000));
    expect(bus.findStuck()).toEqual([
      expect.stringMatching(/^A claim of hanging in partition 0 has not moved for 30\d s$/),
    ]);
    restoreTime();
    finish();
    await until(() => bus.findStuck().length === 0, [consuming]);
  });

  it('rebalances partitions while records are read, and when a member leaves', async () => {
    const topic = await createTestTopic(kafka, PARTITIONS);
    const store = new FencedStore();
    const written: string[] = [];
    let pauseMs = 20;
    const released = { first: new Set<number>(), second: new Set<number>() };
    const member = (name: 'first' | 'second') => ({
      ...store.consumer(topic, name, {
        maxBatch: 1,
        before: async () => {
          if (pauseMs > 0) await sleep(pauseMs);
          written.push(name);
        },
      }),
      onReleased: (partitions: readonly number[]) => {
        for (const partition of partitions) released[name].add(partition);
      },
    });
    await bus.publish(topic, numbers(0, MANY), stop.signal);
    const first = consume(member('first'));
    await until(() => store.count > 20, [first]);
    const secondStop = new AbortController();
    const second = consume(member('second'), AbortSignal.any([stop.signal, secondStop.signal]));
    // The first member must release partitions after its current batch, not after all fetched records.
    await until(() => written.includes('second'), [first, second]);
    expect(store.count).toBeLessThan(MANY);
    expect(store.owners.filter((owner) => owner === 'first')).toHaveLength(PARTITIONS / 2);
    await until(() => written.filter((name) => name === 'second').length > 10, [first, second]);
    expect([released.first.size, released.second.size]).toEqual([PARTITIONS / 2, 0]);
    secondStop.abort();
    await second;
    pauseMs = 0;
    await until(() => store.count === MANY, [first]);
    expect(store.owners).toEqual(Array.from({ length: PARTITIONS }, () => 'first'));
    expect(store.numbers).toEqual(expected(MANY));
    expect(store.fencedWrites).toBe(0);
  });

  it('claims a partition again if the store has lost data while no record arrives', async () => {
    const topic = await createTestTopic(kafka, PARTITIONS);
    const store = new FencedStore();
    let isLost = false;
    const onFenced = jest.fn();
    const checkPartition = (partition: number) => {
      if (!isLost || partition !== 1) return Promise.resolve();
      isLost = false;
      return Promise.reject(new FencedError('the store was emptied'));
    };
    const consumed = consume(store.consumer(topic, 'only', { checkPartition, onFenced }));
    await bus.publish(topic, numbers(0, COUNT / 2), stop.signal);
    await until(() => store.count === COUNT / 2, [consumed]);
    isLost = true;
    await until(() => store.claims.length === PARTITIONS + 1, [consumed]);
    expect(store.claims.at(-1)).toEqual({ owner: 'only', partition: 1 });
    expect(onFenced).toHaveBeenCalledTimes(1);
    await bus.publish(topic, numbers(COUNT / 2, COUNT), stop.signal);
    await until(() => store.count === COUNT, [consumed]);
    expect([store.numbers, store.fencedWrites]).toEqual([expected(COUNT), 0]);
  });

  it('reassigns the partitions of a killed member', async () => {
    const topic = await createTestTopic(kafka, PARTITIONS);
    const other = startProcess(topic.name);
    await waitForClaim(other);
    const store = new FencedStore();
    const ended = consume(store.consumer(topic, 'survivor'));
    await until(() => store.claims.length > 0, [ended]);
    await bus.publish(topic, numbers(0, COUNT), stop.signal);
    other.kill('SIGKILL');
    await until(() => store.count === COUNT, [ended]);
    expect(store.numbers).toEqual(expected(COUNT));
  });

  /** Starts a member in another process that claims partitions and never finishes a batch. */
  function startProcess(topicName: string): ChildProcess {
    const script = `
      require('./tools/register.cjs');
      const { KafkaBus } = require('./libs/adapters/bus/index.ts');
      const { createLogger } = require('./libs/platform/index.ts');
      const config = { brokers: ${JSON.stringify(kafka.brokers)}, clientId: 'other' };
      const bus = new KafkaBus({ config, logger: createLogger('silent'), sessionTimeoutMs: 2000, heartbeatIntervalMs: 200 });
      const consumer = {
        group: 'group-of-${topicName}',
        topic: { name: '${topicName}', codec: { decode: () => ({}) } },
        maxBatch: 1,
        claimPartition: async (partition) => { console.log('claimed', partition); return null; },
        onBatch: () => new Promise(() => undefined),
      };
      bus.consume(consumer, new AbortController().signal);`;
    return spawn(process.execPath, ['-e', script], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  }

  async function waitForClaim({ stdout }: ChildProcess): Promise<void> {
    if (stdout) await once(stdout, 'data');
  }
});
