import { KafkaBus } from '@fresnel/adapters/bus';
import { connect } from '@fresnel/adapters/store-schema';
import { type FresnelError } from '@fresnel/domain/primitives';
import { createLogger } from '@fresnel/platform';
import { createTestTopic } from '@fresnel/testing/bus';
import { TcpLink, until } from '@fresnel/testing/generic';
import { sharedKafka } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type DataSource } from 'typeorm';
import { ProjectionStore } from './projection-store';

/** Postgres, reached through a link that falls silent without closing its connections. */
describe('a store whose server falls silent', () => {
  let database: TestDatabase;
  let link: TcpLink;
  let dataSource: DataSource;
  let store: ProjectionStore;
  beforeEach(async () => {
    database = await createTestDatabase();
    link = await TcpLink.to(database.url);
    dataSource = await connect({ url: link.url, poolSize: 2, applicationName: 'tests', timeoutMs: 2_000 });
    store = new ProjectionStore(dataSource);
  });
  afterEach(async () => {
    await dataSource.destroy();
    await link.cut();
    await database.drop();
  });

  it('lets a consumer claim its partition afterwards', async () => {
    const kafka = await sharedKafka();
    const logger = createLogger('silent');
    const bus = new KafkaBus({ config: { brokers: kafka.brokers, clientId: 'tests' }, logger, retryPauseMs: 10 });
    const topic = await createTestTopic(kafka, 1);
    const read: number[] = [];
    const outcomes: string[] = [];
    const stop = new AbortController();
    const consumer = {
      group: 'tests',
      topic,
      maxBatch: 10,
      claimPartition: async (partition: number) => {
        if (outcomes.length === 0) {
          await store.findFirstSlot(); // on the connection that the claim takes
          link.freeze();
        }
        const claim = store.claimPosition({ consumerGroup: 'tests', topic: topic.name, partition });
        claim.then(
          () => outcomes.push('claimed'),
          (error: unknown) => outcomes.push((error as FresnelError).code),
        );
        return (await claim).offset;
      },
      onBatch: ({ messages }: { messages: readonly { number: number }[] }) => {
        read.push(...messages.map(({ number }) => number));
        return Promise.resolve();
      },
    };
    const running = bus.consume(consumer, stop.signal);
    try {
      await bus.publish(topic, [{ number: 7 }], stop.signal);
      await until(() => read.length > 0, [running]);
      expect([outcomes, read]).toEqual([['store-unavailable', 'claimed'], [7]]);
    } finally {
      stop.abort();
      await running;
      await bus.close();
    }
  });

  it('answers the questions of ingest afterwards', async () => {
    const range = { from: 0, to: 1_000, limit: 10 };
    expect(await store.findIndexedBlocks(range)).toEqual([]);
    link.freeze();
    await expect(store.findIndexedBlocks(range)).rejects.toMatchObject({
      code: 'store-unavailable',
      isRetryable: true,
    });
    expect(await store.findIndexedBlocks(range)).toEqual([]);
  });
});
