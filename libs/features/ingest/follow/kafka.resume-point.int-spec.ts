import { randomUUID } from 'node:crypto';
import {
  createTopics,
  findLogRanges,
  type GenerationFinder,
  joinGenerations,
  KafkaBus,
  OffsetOutOfRangeError,
} from '@fresnel/adapters/bus';
import { Database, setPositions, startLogGeneration } from '@fresnel/adapters/store-schema';
import { OtherChainError, ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeJournal, toTreeLog } from '@fresnel/adapters/tree-store';
import {
  PROJECTOR_GROUP,
  SLOT_EVENTS,
  type SlotEventsMessage,
  type Topic,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { blockRefOf } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { createLogger } from '@fresnel/platform';
import { createTestSource } from '@fresnel/testing/block-sources';
import { blockhashAt, blockLinkAt, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { createTestIngest, RecordingBus } from '@fresnel/testing/ingest';
import { sharedKafka } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { Kafka, logLevel } from 'kafkajs';
import { KafkaResumePoint } from './kafka.resume-point';

const PARTITIONS = 3;
const logger = createLogger('silent');
const { signal } = new AbortController();

const refOf = (slot: number, branch = 'main') => ({ slot: toSlot(slot), blockhash: blockhashAt(slot, branch) });

const slotAt = (slot: number): SlotEventsMessage => {
  const links = { parentSlot: toSlot(slot - 1), parentBlockhash: blockhashAt(slot - 1) };
  const rest = {
    blockTime: 0,
    blockHeight: null,
    isFirst: false,
    transactions: [],
    trees: [],
    deadLetters: [],
    signatures: null,
  };
  return { kind: 'slot', events: { ...refOf(slot), ...links, ...rest }, isOfRange: false };
};
const asRange = (message: SlotEventsMessage): SlotEventsMessage =>
  message.kind === 'slot' ? { ...message, isOfRange: true } : message;
const watermarkAt = (slot: number): TreeUpdatesMessage => ({
  kind: 'watermark',
  ...blockLinkAt(slot),
  previousChange: null,
  silentBlocks: [],
  changesTrees: false,
});
const revertedAt = (slot: number, forkPointSlot: number) => ({
  kind: 'slot-reverted' as const,
  ...refOf(slot),
  forkPoint: refOf(forkPointSlot),
});

describe('KafkaResumePoint', () => {
  let kafka: Awaited<ReturnType<typeof sharedKafka>>;
  let bus: KafkaBus;
  let database: TestDatabase;
  let opened: Database;
  let resumePoint: KafkaResumePoint;
  beforeAll(async () => {
    kafka = await sharedKafka();
    database = await createTestDatabase();
    const layouts = [SLOT_EVENTS, TREE_UPDATES].map((topic) => ({ topic, partitions: PARTITIONS, retentionMs: null }));
    await createTopics(kafka, layouts, { replicationFactor: 1, minInsyncReplicas: 1 }, logger);
    bus = new KafkaBus({ config: kafka, logger });
    opened = new Database(database.dataSource, database.url);
    resumePoint = createResumePoint((topic) => opened.findLogGeneration(topic));
  });
  afterAll(async () => {
    await bus.close();
    await database.drop();
  });

  function createResumePoint(findGeneration: GenerationFinder): KafkaResumePoint {
    return new KafkaResumePoint({ ...kafka, findGeneration }, opened, new ProjectionStore(database.dataSource), logger);
  }

  /** Deletes all records of a topic, as its retention does. */
  async function expire({ name }: Pick<Topic<never>, 'name'>): Promise<void> {
    const admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const topic = `${kafka.prefix}${name}`;
    const offsets = await admin.fetchTopicOffsets(topic);
    const partitions = offsets
      .filter(({ high }) => high !== '0')
      .map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic, partitions });
    await admin.disconnect();
  }

  // Each test continues with the records of the tests before it.

  it('finds nothing in empty topics', async () => {
    expect(await resumePoint.find('a chain', new AbortController().signal)).toEqual({
      published: [],
      changes: [],
      partiallyPublished: [],
      reverted: [],
    });
  });

  it('finds all blocks of a young index, spread over partitions', async () => {
    for (const slot of range(100, 110)) {
      await bus.publish(TREE_UPDATES, [watermarkAt(slot)], signal);
      await bus.publish(SLOT_EVENTS, [slotAt(slot)], signal);
    }
    const published = range(100, 110).map((slot) => refOf(slot));
    expect(await resumePoint.find('a chain', new AbortController().signal)).toEqual({
      published,
      changes: [],
      partiallyPublished: [],
      reverted: [],
    });
  });

  it('finds the last blocks behind any number of tip records', async () => {
    await bus.publish(SLOT_EVENTS, range(111, 200).map(slotAt), signal);
    await bus.publish(TREE_UPDATES, range(111, 200).map(watermarkAt), signal);
    const tips = range(1, 900).map((): SlotEventsMessage => ({ kind: 'tip', slot: toSlot(201), seenAt: new Date(0) }));
    await bus.publish(SLOT_EVENTS, tips, signal);
    const { published } = await resumePoint.find('a chain', new AbortController().signal);
    expect(published).toEqual(range(169, 200).map((slot) => refOf(slot)));
  });

  it('finds a partially published block', async () => {
    await bus.publish(TREE_UPDATES, [watermarkAt(201)], signal);
    const { published, partiallyPublished } = await resumePoint.find('a chain', new AbortController().signal);
    expect(published.at(-1)).toEqual(refOf(200));
    expect(partiallyPublished).toEqual([{ ...refOf(201), parentSlot: toSlot(200) }]);
  });

  it('finds a fork whose reverts reached only the trees in full', async () => {
    const reverts = [revertedAt(201, 198), revertedAt(200, 198), revertedAt(199, 198)];
    await bus.publish(TREE_UPDATES, reverts, signal);
    await bus.publish(SLOT_EVENTS, reverts.slice(0, 2), signal);
    const { published, partiallyPublished, reverted } = await resumePoint.find('a chain', new AbortController().signal);
    expect(published).toEqual(range(167, 198).map((slot) => refOf(slot)));
    expect(partiallyPublished).toEqual([]);
    expect(reverted).toEqual(reverts);
  });

  it('ignores the blocks of ranges, before and after the published ones', async () => {
    const slots = [...range(10, 90), ...range(9_000, 9_300)];
    await bus.publish(SLOT_EVENTS, slots.map(slotAt).map(asRange), signal);
    const { published } = await resumePoint.find('a chain', signal);
    expect(published).toEqual(range(167, 198).map((slot) => refOf(slot)));
  });

  it('rejects another chain', async () => {
    await expect(resumePoint.find('another chain', signal)).rejects.toThrow(OtherChainError);
  });

  it('finds the last published block when slot-events have expired', async () => {
    await expire(SLOT_EVENTS);
    const { published, partiallyPublished } = await resumePoint.find('a chain', signal);
    expect(published.at(-1)).toEqual(refOf(198));
    expect(partiallyPublished).toEqual([]);
    expect(await slotsOfIngest(3)).toEqual([199, 200, 201]);
  });

  /** Stores blocks as tables, and positions of consumers that have applied the whole log. */
  async function storeBlocks(slots: readonly number[]): Promise<void> {
    await database.dataSource.query(
      `INSERT INTO blocks (slot, parent_slot, blockhash, parent_blockhash, block_time, changes_trees)
       SELECT *, 0, true FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[])`,
      [slots, slots.map((slot) => slot - 1), slots.map(hashOnChain), slots.map((slot) => hashOnChain(slot - 1))],
    );
    await database.dataSource.query(`UPDATE indexer_state SET first_slot = $1, indexed_slot = $2`, [
      slots[0],
      slots.at(-2),
    ]);
  }

  /** Stores that the trees of each partition are applied up to a slot. */
  async function storeTrees(slots: readonly number[]): Promise<void> {
    const journal = new PostgresTreeJournal(database.dataSource, toTreeLog(`${kafka.prefix}${TREE_UPDATES.name}`));
    const ranges = await findLogRanges(kafka, TREE_UPDATES, logger, signal);
    for (const [partition, { end }] of ranges) {
      const slot = toSlot(slots[partition]);
      const blocks = range(slot - 3, slot).map((at) => ({
        ...refOnChain(at),
        parentSlot: toSlot(at - 1),
        state: 'admitted' as const,
        changesTrees: false,
      }));
      const block = refOnChain(slot);
      const state = { block, blocks, hasRefused: false };
      await journal.persist({ id: randomUUID(), partition, on: null, from: 0n, to: end, trees: [], ...state });
    }
  }

  it('starts a new index when everything has expired and nothing was applied', async () => {
    await expire(SLOT_EVENTS);
    await expire(TREE_UPDATES);
    expect((await resumePoint.find('a chain', signal)).published).toEqual([]);
  });

  it('finds silent blocks behind many records of ranges, and the newest change before them', async () => {
    const silent = range(250, 300).map((slot) => ({ ...slotAt(slot), previousChange: refOf(150) }));
    const ranges = range(10_000, 10_900).map((slot) => asRange(slotAt(slot)));
    await bus.publish(SLOT_EVENTS, [...silent, ...ranges], signal);
    const { published, changes } = await resumePoint.find('a chain', signal);
    expect(published).toEqual(range(269, 300).map((slot) => refOf(slot)));
    expect(changes).toEqual([refOf(150)]);
    await expire(SLOT_EVENTS);
  });

  it('finds the newest blocks that tables and trees have applied when everything has expired', async () => {
    await storeBlocks(range(100, 201));
    await storeTrees([198, 197, 203]);
    const { published, partiallyPublished } = await resumePoint.find('a chain', signal);
    expect(published.map(blockRefOf)).toEqual(range(166, 197).map(refOnChain));
    expect(partiallyPublished.map(({ slot }) => slot)).toEqual(range(198, 203));
    expect(await slotsOfIngest(6)).toEqual(range(198, 203));
  });

  /** Publishes a block to both topics. */
  async function publishBlock(slot: number, publisher = bus): Promise<void> {
    const block = { ...refOnChain(slot), parentSlot: toSlot(slot - 1), parentBlockhash: hashOnChain(slot - 1) };
    const watermark: TreeUpdatesMessage = {
      kind: 'watermark',
      ...block,
      previousChange: null,
      silentBlocks: [],
      changesTrees: false,
    };
    await publisher.publish(TREE_UPDATES, [watermark], signal);
    const message = slotAt(slot);
    if (message.kind !== 'slot') throw new Error('not a slot');
    await publisher.publish(SLOT_EVENTS, [{ ...message, events: { ...message.events, ...block } }], signal);
  }

  it('finds the stored blocks if an ingest that was frozen has published a later one when everything had expired', async () => {
    await publishBlock(500);
    const { published } = await resumePoint.find('a chain', signal);
    expect(published.at(-1)).toMatchObject(refOnChain(197));
    await expire(SLOT_EVENTS);
    await expire(TREE_UPDATES);
  });

  it('finds the published blocks if they follow the stored ones, and those before them', async () => {
    await publishBlock(198);
    await publishBlock(199);
    const { published } = await resumePoint.find('a chain', signal);
    expect(published.map(({ slot }) => slot)).toEqual(range(168, 199));
    await expire(SLOT_EVENTS);
    await expire(TREE_UPDATES);
  });

  it('finds no block of an ingest that was frozen while the positions were reset', async () => {
    await createResumePoint(joinGenerations(() => opened.findLogGenerations())).find('a chain', signal);
    for (const topic of [SLOT_EVENTS, TREE_UPDATES]) {
      await startLogGeneration(database.dataSource.manager, `${kafka.prefix}${topic.name}`);
    }
    await publishBlock(198);
    const { published } = await resumePoint.find('a chain', signal);
    expect(published.at(-1)).toMatchObject(refOnChain(197));
  });

  it('refuses to publish to a topic that ends before the position of its consumers', async () => {
    const topic = `${kafka.prefix}${SLOT_EVENTS.name}`;
    const key = { consumerGroup: PROJECTOR_GROUP, topic };
    await setPositions(database.dataSource.manager, key, new Map([[1, 1_000_000n]]));
    await expect(resumePoint.find('a chain', signal)).rejects.toThrow(OffsetOutOfRangeError);
    await expect(resumePoint.find('a chain', signal)).rejects.toThrow(
      `projector has position 1000000 in ${topic}/1, but the log contains 0 to`,
    );
  });

  const refOnChain = (slot: number) => ({ slot: toSlot(slot), blockhash: hashOnChain(slot) });

  /** The chain forked after slot 198. */
  const hashOnChain = (slot: number) => blockhashAt(slot, slot > 198 ? 'other' : 'main');

  /** The slots that an ingest publishes first on a chain of which the node has only the newest blocks. */
  async function slotsOfIngest(count: number): Promise<number[]> {
    const node = await FakeNode.start([
      ...linkBlocks(range(150, 198)),
      ...linkBlocks(range(199, 220), { branch: 'other' }),
    ]);
    node.firstAvailable = 150;
    const stop = new AbortController();
    const slots: number[] = [];
    const publish = <Message>(topic: Topic<Message>, messages: readonly Message[]) => {
      for (const message of messages as readonly (SlotEventsMessage | TreeUpdatesMessage)[]) {
        if (message.kind === 'slot') slots.push(message.events.slot);
      }
      if (slots.length >= count) stop.abort();
      return Promise.resolve();
    };
    const { source } = createTestSource(node);
    const find = () => resumePoint.find('a chain', signal);
    await createTestIngest({ source, bus: Object.assign(new RecordingBus(), { publish }), find }).run(stop.signal);
    await node.close();
    return slots;
  }
});
