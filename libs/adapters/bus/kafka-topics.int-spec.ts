import { randomBytes } from 'node:crypto';
import { createLogger, findFreePort } from '@fresnel/platform';
import { createTestTopic, FencedStore, type Numbered, numberedTopic } from '@fresnel/testing/bus';
import { captureLog, eventually } from '@fresnel/testing/generic';
import { type SharedKafka, sharedKafka } from '@fresnel/testing/servers';
import { ConfigResourceTypes, ConfigSource, Kafka, type KafkaMessage, logLevel } from 'kafkajs';
import { type KafkaConfig } from './kafka-client';
import { KafkaUnavailableError, TopicMismatchError } from './kafka-errors';
import { countPartitions, createTopics, type TopicLayout, withAdmin } from './kafka-topics';
import { KafkaBus } from './kafka.bus';
import { readRecords } from './kafka.read-records';

const SINGLE_BROKER = { replicationFactor: 1, minInsyncReplicas: 1 };
const { signal } = new AbortController();
const logger = createLogger('silent');
const whole = <Message>(message: Message) => message;

describe('topics in a cluster', () => {
  let kafka: SharedKafka;
  let config: KafkaConfig;
  beforeAll(async () => {
    kafka = await sharedKafka();
    config = { brokers: kafka.brokers, clientId: 'tests' };
  });

  const layout = (name: string, more: Partial<TopicLayout> = {}): TopicLayout => ({
    topic: numberedTopic(name),
    partitions: 3,
    retentionMs: null,
    ...more,
  });

  it('are created when they are missing, and unchanged when they exist', async () => {
    const captured = captureLog();
    const layouts = [layout('kept'), layout('aged', { retentionMs: 86_400_000, partitions: 2 })];
    await createTopics(config, layouts.slice(0, 1), SINGLE_BROKER, captured.logger);
    await createTopics(config, layouts, SINGLE_BROKER, captured.logger);
    await createTopics(config, layouts, SINGLE_BROKER, captured.logger);
    const created = captured.lines.filter(({ msg }) => msg === 'topics created').map(({ topics }) => topics);
    expect(created).toEqual([['kept'], ['aged']]);
  });

  it('with another layout are an error that says what to do', async () => {
    await createTopics(config, [layout('fixed')], SINGLE_BROKER, logger);
    await expect(createTopics(config, [layout('fixed', { partitions: 5 })], SINGLE_BROKER, logger)).rejects.toThrow(
      'topic fixed has 3 partitions, required are 5: set KAFKA_PARTITIONS to 3, or use a new topic',
    );
    await expect(
      createTopics(config, [layout('fixed', { retentionMs: 60_000 })], SINGLE_BROKER, logger),
    ).rejects.toThrow('topic fixed has retention.ms=-1, required is 60000: kafka-configs.sh --alter');
  });

  it('do not depend on the compression that the broker prefers, also if they exist, and keep their other settings', async () => {
    const captured = captureLog();
    const settings = [
      { name: 'compression.type', value: 'zstd' },
      { name: 'flush.messages', value: '12345' },
      { name: 'retention.ms', value: '-1' },
    ];
    const configNames = settings.map(({ name }) => name);
    const type = ConfigResourceTypes.TOPIC;
    const read = (name: string) =>
      withAdmin(config, logger, async (admin) => {
        const resources = [{ type, name, configNames }];
        const described = await admin.describeConfigs({ includeSynonyms: false, resources });
        return described.resources[0].configEntries.map(({ configName, configValue }) => [configName, configValue]);
      });
    await createTopics(config, [layout('compressed')], SINGLE_BROKER, logger);
    expect(await read('compressed')).toContainEqual(['compression.type', 'producer']);
    await withAdmin(config, logger, async (admin) => {
      const current = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type, name: 'compressed' }],
      });
      const kept = current.resources[0].configEntries
        .filter(
          ({ configSource, configName }) =>
            configSource === ConfigSource.TOPIC_CONFIG && !configNames.includes(configName),
        )
        .map(({ configName, configValue }) => ({ name: configName, value: configValue }));
      const resources = [{ type, name: 'compressed', configEntries: [...kept, ...settings] }];
      await admin.alterConfigs({ validateOnly: false, resources });
    });
    for (let run = 0; run < 2; run++) {
      await createTopics(config, [layout('compressed')], SINGLE_BROKER, captured.logger);
      expect(Object.fromEntries(await read('compressed'))).toEqual({
        'compression.type': 'producer',
        'flush.messages': '12345',
        'retention.ms': '-1',
      });
    }
    expect(captured.lines.filter(({ msg }) => msg === 'setting of a topic corrected')).toHaveLength(1);
  });

  it.each(['zstd', 'lz4'])('with records in %s are an error that says what to do', async (value) => {
    const name = `stored-as-${value}`;
    await withAdmin(config, logger, async (admin) => {
      const configEntries = [{ name: 'compression.type', value }];
      await admin.createTopics({ waitForLeaders: false, topics: [{ topic: name, numPartitions: 1, configEntries }] });
    });
    // KafkaJS itself fails if the broker does not list the topic yet.
    const count = () => withAdmin(config, logger, (admin) => countPartitions(admin, name));
    await eventually('the broker lists the topic', () =>
      count().then(
        () => true,
        () => false,
      ),
    );
    const topic = numberedTopic(name);
    const bus = new KafkaBus({ config, logger });
    await bus.publish(topic, [{ number: 0 }], signal);
    const stop = new AbortController();
    const consumed = bus.consume<Numbered>(new FencedStore().consumer(topic, name), stop.signal);
    const problem = `topic ${name} has records that the client cannot read: ${value.toUpperCase()} compression not implemented`;
    await expect(consumed).rejects.toThrow(TopicMismatchError);
    await expect(consumed).rejects.toThrow(problem);
    const records = readRecords(config, topic, { count: 1, end: 'newest', select: whole }, logger, signal);
    await expect(records).rejects.toThrow(problem);
    await bus.close();
  });

  it('keep a record for their retention after it arrives, whatever the clock of its producer says', async () => {
    await createTopics(config, [layout('timed', { partitions: 1 })], SINGLE_BROKER, logger);
    const client = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING });
    const [producer, consumer] = [client.producer(), client.consumer({ groupId: 'group-of-timed' })];
    await Promise.all([producer.connect(), consumer.connect()]);
    await producer.send({ topic: 'timed', messages: [{ value: 'of a clock in 1970', timestamp: '1' }] });
    await consumer.subscribe({ topic: 'timed', fromBeginning: true });
    const timestamp = await new Promise<string>((resolve, reject) => {
      const eachMessage = ({ message }: { message: KafkaMessage }) => {
        resolve(message.timestamp);
        return Promise.resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    await Promise.all([producer.disconnect(), consumer.disconnect()]);
    expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(3_600_000);
  });

  it('cannot be created while the broker is unreachable, and the error names the broker', async () => {
    const brokers = [`127.0.0.1:${await findFreePort()}`];
    const creation = createTopics({ ...config, brokers }, [layout('lost')], SINGLE_BROKER, logger);
    await expect(creation).rejects.toThrow(KafkaUnavailableError);
    await expect(creation).rejects.toThrow(`cannot connect to Kafka at ${brokers[0]}: `);
  });

  it('return the last published records of each partition', async () => {
    const topic = await createTestTopic(kafka, 3);
    expect(await readRecords(config, topic, { count: 2, end: 'newest', select: whole }, logger, signal)).toEqual([]);
    const bus = new KafkaBus({ config, logger });
    const messages = [0, 3, 6, 9, 1].map((number) => ({ number }));
    await bus.publish(topic, messages, signal);
    await bus.close();
    expect(await readRecords(config, topic, { count: 2, end: 'newest', select: whole }, logger, signal)).toEqual([
      { partition: 0, offset: 2n, message: { number: 6 } },
      { partition: 0, offset: 3n, message: { number: 9 } },
      { partition: 1, offset: 0n, message: { number: 1 } },
    ]);
  });

  it('accept records that are larger than one request, in order', async () => {
    const topic = await createTestTopic(kafka, 1);
    const sizes = [10, 3_000_000, 10, 500_000, 500_000, 10];
    const messages = sizes.map((size, number) => ({ number: number * 3, noise: noise(size) }));
    const bus = new KafkaBus({ config, logger });
    await bus.publish(topic, messages, signal);
    await bus.close();
    const records = await readRecords(config, topic, { count: 10, end: 'newest', select: whole }, logger, signal);
    expect(records.map(({ message }) => message)).toEqual(messages);
  });

  it('with two prefixes share a cluster and are isolated from each other', async () => {
    const topic = numberedTopic('shared');
    const deployments = ['blue.', 'green.'].map((prefix) => {
      const own = { ...config, prefix };
      return { prefix, own, bus: new KafkaBus({ config: own, logger }), store: new FencedStore() };
    });
    for (const { own } of deployments) await createTopics(own, [layout('shared')], SINGLE_BROKER, logger);
    const [blue, green] = deployments;
    const stop = new AbortController();
    const claimedTopics = new Set<string>();
    const running = deployments.map(({ prefix, bus, store }) => {
      const consumer = store.consumer(topic, prefix);
      return bus.consume<Numbered>(
        {
          ...consumer,
          claimPartition: (partition, count, topicName) => {
            claimedTopics.add(topicName);
            return consumer.claimPartition(partition, count, topicName);
          },
        },
        stop.signal,
      );
    });
    const numbers = [0, 3, 1].map((number) => ({ number }));
    await blue.bus.publish(topic, numbers, signal);
    await green.bus.publish(topic, [{ number: 7 }], signal);
    await blue.bus.waitUntilApplied(topic, 'group-of-shared', signal);
    await green.bus.waitUntilApplied(topic, 'group-of-shared', signal);
    expect(blue.store.numbers.flat().sort()).toEqual([0, 1, 3]);
    expect(green.store.numbers.flat()).toEqual([7]);
    expect([...claimedTopics].sort()).toEqual(['blue.shared', 'green.shared']);
    expect(await readRecords(green.own, topic, { count: 10, end: 'newest', select: whole }, logger, signal)).toEqual([
      { partition: 1, offset: 0n, message: { number: 7 } },
    ]);
    const groups = await withAdmin(config, logger, (admin) => admin.listGroups());
    expect(groups.groups.map(({ groupId }) => groupId)).toEqual(
      expect.arrayContaining(['blue.group-of-shared', 'green.group-of-shared']),
    );
    await expect(
      readRecords(config, topic, { count: 10, end: 'newest', select: whole }, logger, signal),
    ).rejects.toThrow('topic shared does not exist');
    stop.abort();
    await Promise.all(running);
    await Promise.all(deployments.map(({ bus }) => bus.close()));
  });

  it('reject a record that is larger than their limit', async () => {
    const topic = await createTestTopic(kafka, 1);
    const bus = new KafkaBus({ config, logger });
    const tooLarge = { number: 0, noise: noise(45_500_000) };
    await expect(bus.publish(topic, [tooLarge], signal)).rejects.toThrow(`${topic.name}: `);
    await bus.publish(topic, [{ number: 1 }], signal);
    await bus.close();
    expect(await readRecords(config, topic, { count: 10, end: 'newest', select: whole }, logger, signal)).toMatchObject(
      [{ message: { number: 1 } }],
    );
  });
});

/** Text that does not compress to less than half. */
function noise(length: number): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64')
    .slice(0, length);
}
