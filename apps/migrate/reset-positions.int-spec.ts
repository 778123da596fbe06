import { setTimeout as sleep } from 'node:timers/promises';
import { findLogRanges, findMissingTopics, KafkaBus, TopicsInUseError } from '@fresnel/adapters/bus';
import { findLogGeneration, findPositions, setPositions } from '@fresnel/adapters/store-schema';
import { PROJECTOR_GROUP, SLOT_EVENTS, type SlotEventsMessage, TREE_UPDATES } from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { createLogger, readConfig } from '@fresnel/platform';
import { blockLinkAt } from '@fresnel/testing/chain';
import { captureLog, eventually, TcpLink, until } from '@fresnel/testing/generic';
import { type SharedKafka, sharedKafka } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { APP_CONFIG } from './app.config';
import { CONSUMED_TOPICS } from './consumed-topics';
import { LostTopicsError, MigrationService } from './migration.service';
import { PositionResetService } from './position-reset.service';

const PARTITIONS = 3;
const logger = createLogger('silent');

describe('reset-positions', () => {
  let kafka: SharedKafka;
  let database: TestDatabase;
  let bus: KafkaBus;
  let migration: MigrationService;
  let reset: PositionResetService;
  let stop: AbortController;
  let env: Record<string, string>;
  beforeEach(async () => {
    kafka = await sharedKafka();
    database = await createTestDatabase();
    env = {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: kafka.brokers.join(),
      KAFKA_PREFIX: kafka.prefix,
      KAFKA_PARTITIONS: String(PARTITIONS),
    };
    const config = readConfig(APP_CONFIG, env);
    migration = new MigrationService(config, logger);
    reset = new PositionResetService(config, migration, logger);
    bus = new KafkaBus({ config: kafka, logger });
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await bus.close();
    await database.drop();
  });

  const keyOf = ({ topic, group }: (typeof CONSUMED_TOPICS)[number]) => ({
    consumerGroup: group,
    topic: `${kafka.prefix}${topic.name}`,
  });
  /** For each topic, the stored positions. */
  const positions = () =>
    Promise.all(CONSUMED_TOPICS.map((consumed) => findPositions(database.dataSource.manager, keyOf(consumed))));
  /** For each topic, the ranges of its log. */
  const ranges = () =>
    Promise.all(CONSUMED_TOPICS.map(({ topic }) => findLogRanges(kafka, topic, logger, stop.signal)));
  const missingTopics = () => findMissingTopics(kafka, [SLOT_EVENTS, TREE_UPDATES], logger);
  const publish = (slot: number) =>
    Promise.all([
      bus.publish(
        TREE_UPDATES,
        [{ kind: 'watermark', ...blockLinkAt(slot), previousChange: null, silentBlocks: [], changesTrees: false }],
        stop.signal,
      ),
      bus.publish(SLOT_EVENTS, [{ kind: 'tip', slot: toSlot(slot), seenAt: new Date(0) }], stop.signal),
    ]);

  /** Stores positions as the consumers of lost topics would have. */
  async function storePositions(offset: bigint): Promise<void> {
    const offsets = new Map([0, 1, 2].map((partition) => [partition, offset]));
    for (const consumed of CONSUMED_TOPICS) {
      await setPositions(database.dataSource.manager, keyOf(consumed), offsets);
    }
  }

  it('is what migrate asks for when the topics of the stored positions do not exist', async () => {
    await storePositions(70n);
    await expect(migration.run(stop.signal)).rejects.toThrow(LostTopicsError);
    await expect(migration.run(stop.signal)).rejects.toThrow(
      `positions in ${kafka.prefix}slot-events and ${kafka.prefix}tree-updates, which Kafka does not have`,
    );
    await expect(migration.run(stop.signal)).rejects.toThrow('stop all services and run "migrate reset-positions"');
    expect(await missingTopics()).toHaveLength(2);
  });

  it('creates missing topics, and sets the positions to their start', async () => {
    await storePositions(70n);
    await reset.run(0);
    expect(await missingTopics()).toEqual([]);
    for (const stored of await positions()) expect([...stored.values()]).toEqual([0n, 0n, 0n]);
    await migration.run(stop.signal);
  });

  it('deletes all records, and sets the positions to the ends of the topics', async () => {
    await migration.run(stop.signal);
    for (let slot = 100; slot < 110; slot++) await publish(slot);
    await storePositions(1n);
    await reset.run(0);
    const [logs, stored] = [await ranges(), await positions()];
    expect([...logs[1].values()]).toEqual(Array.from({ length: PARTITIONS }, () => ({ start: 10n, end: 10n })));
    for (const [at, log] of logs.entries()) {
      for (const [partition, { start, end }] of log) expect([start, stored[at].get(partition)]).toEqual([end, end]);
    }
  });

  it('waits for the brokers once it has created the topics, which may have no leaders yet', async () => {
    await storePositions(70n);
    const link = await TcpLink.to(`tcp://${kafka.brokers[0]}`);
    const config = readConfig(APP_CONFIG, { ...env, KAFKA_BROKERS: new URL(link.url).host });
    const { logger, lines } = captureLog();
    const migration = new MigrationService(config, logger);
    const create = migration.createTopics.bind(migration);
    jest.spyOn(migration, 'createTopics').mockImplementation(async () => {
      await create();
      await link.cut();
    });
    const resetting = new PositionResetService(config, migration, logger).run(0);
    await until(() => lines.some(({ msg }) => msg === 'dependency unavailable, retrying'), [resetting]);
    await link.restore();
    await resetting;
    for (const stored of await positions()) expect([...stored.values()]).toEqual([0n, 0n, 0n]);
    await link.cut();
  });

  it('changes nothing when it is repeated, and works with an empty database', async () => {
    await migration.run(stop.signal);
    await publish(100);
    await reset.run(0);
    const before = [await ranges(), await positions()];
    await reset.run(0);
    expect([await ranges(), await positions()]).toEqual(before);
  });

  it('fences the consumers that had the positions before', async () => {
    await migration.run(stop.signal);
    const key = { ...keyOf(CONSUMED_TOPICS[0]), partition: 0 };
    const epoch = async () => {
      const rows = await database.dataSource.query<{ epoch: string }[]>(
        `SELECT epoch FROM positions WHERE consumer_group = $1 AND topic = $2 AND partition = $3`,
        [key.consumerGroup, key.topic, key.partition],
      );
      return Number(rows[0].epoch);
    };
    await storePositions(0n);
    const before = await epoch();
    await reset.run(0);
    expect(await epoch()).toBe(before + 1);
  });

  it('starts a generation of each log in which records of a frozen ingest are ignored', async () => {
    await migration.run(stop.signal);
    const findGeneration = (topic: string) => findLogGeneration(database.dataSource.manager, topic);
    const frozen = new KafkaBus({ config: kafka, logger, findGeneration });
    const tip = (slot: number) => ({ kind: 'tip', slot: toSlot(slot), seenAt: new Date(0) }) as const;
    await frozen.publish(SLOT_EVENTS, [tip(100)], stop.signal);
    await reset.run(0);
    const generations = await Promise.all(CONSUMED_TOPICS.map((consumed) => findGeneration(keyOf(consumed).topic)));
    for (const generation of generations) expect(generation).toBeGreaterThan(1);
    await reset.run(0);
    expect(await findGeneration(keyOf(CONSUMED_TOPICS[0]).topic)).toBeGreaterThan(generations[0]);

    await frozen.publish(SLOT_EVENTS, [tip(101)], stop.signal);
    const next = new KafkaBus({ config: kafka, logger, findGeneration });
    await next.publish(SLOT_EVENTS, [tip(102)], stop.signal);
    const slots: number[] = [];
    const [stored] = await positions();
    const running = next.consume<SlotEventsMessage>(
      {
        group: PROJECTOR_GROUP,
        topic: SLOT_EVENTS,
        maxBatch: 10,
        claimPartition: (partition) => Promise.resolve(stored.get(partition) ?? null),
        onBatch: ({ messages }) => {
          for (const message of messages) if (message.kind === 'tip') slots.push(message.slot);
          return Promise.resolve();
        },
      },
      stop.signal,
    );
    await next.waitUntilApplied(SLOT_EVENTS, PROJECTOR_GROUP, stop.signal);
    expect(slots).toEqual([102]);
    stop.abort();
    await running;
    await Promise.all([frozen.close(), next.close()]);
  });

  it('does nothing while a consumer runs', async () => {
    await migration.run(stop.signal);
    await publish(100);
    let isClaimed = false;
    const claimPartition = () => {
      isClaimed = true;
      return Promise.resolve(null);
    };
    const consumer = { group: PROJECTOR_GROUP, topic: SLOT_EVENTS, maxBatch: 1, claimPartition };
    const running = bus.consume({ ...consumer, onBatch: () => Promise.resolve() }, stop.signal);
    await eventually('the consumer is a member', () => isClaimed);
    await expect(reset.run(0)).rejects.toThrow(TopicsInUseError);
    await expect(reset.run(0)).rejects.toThrow(`${kafka.prefix}projector still has members: stop all services first`);
    stop.abort();
    await running;
    expect((await positions()).map(({ size }) => size)).toEqual([0, 0]);
  });

  it('does nothing while a producer runs', async () => {
    await migration.run(stop.signal);
    await publish(100);
    let isResetting = true;
    const publishing = (async () => {
      for (let slot = 101; isResetting; slot++) {
        await publish(slot);
        await sleep(10);
      }
    })();
    await expect(reset.run(2_000)).rejects.toThrow(/\d+ records were published meanwhile: stop every ingest first/);
    isResetting = false;
    await publishing;
    expect((await ranges())[1].get(0)?.start).toBe(0n);
  });
});
