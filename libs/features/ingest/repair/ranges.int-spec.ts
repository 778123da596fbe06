import { createTopics, KafkaBus, OffsetOutOfRangeError } from '@fresnel/adapters/bus';
import { Database, setPositions } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { LIVE_PROGRAMS, JsonCursor, parseBlock, TransactionParser } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { createProjectorMetrics, ProjectorService } from '@fresnel/features/projector';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { createLogger, Registry } from '@fresnel/platform';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { createTestSource } from '@fresnel/testing/block-sources';
import { FakeNode } from '@fresnel/testing/chain';
import { eventually } from '@fresnel/testing/generic';
import { createTestIngest, PlayedBlocks, RecordingBus } from '@fresnel/testing/ingest';
import { RunningProjector } from '@fresnel/testing/projector';
import { type SharedKafka, sharedKafka } from '@fresnel/testing/servers';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { Backpressure, projectorsOf } from '../follow/backpressure';
import { createFollowMetrics } from '../follow/follow.metrics';
import { createReadMetrics } from '../read/read.metrics';
import { SlotReader } from '../read/slot.reader';
import { TreeRegistry } from '../read/tree-registry';
import { PostgresRangeIndex } from './range-index';
import { RangeNotFinalError, RangeNotIndexedError, RangePublisher } from './range.publisher';

const LEDGER = [...generateLedger({ seed: 5, slots: 110 })];
const CHAIN = LEDGER.map(({ slot, json }) => parseBlock(new JsonCursor(json), toSlot(slot)));
/** The blocks of the index. The chain continues after them. */
const BLOCKS = CHAIN.slice(0, 60);
const slotAt = (at: number) => CHAIN[at].slot;
const LAST = slotAt(59);
/** The index starts with these blocks. */
const FIRST_BLOCKS = BLOCKS.slice(0, 5);
/** The other blocks in three ranges, some of which start and end at slots without a block. */
const RANGES = [
  { from: toSlot(slotAt(4) + 1), to: toSlot(slotAt(20) - 1) },
  { from: slotAt(20), to: slotAt(40) },
  { from: toSlot(slotAt(40) + 1), to: toSlot(slotAt(60) - 1) },
];
const logger = createLogger('silent');

describe('ranges of slots', () => {
  let kafka: SharedKafka;
  let bus: KafkaBus;
  let node: FakeNode;
  let database: TestDatabase;
  let stop: AbortController;
  let running: Promise<void>;
  beforeAll(async () => {
    kafka = await sharedKafka();
    const layouts = [SLOT_EVENTS, TREE_UPDATES].map((topic) => ({ topic, partitions: 3, retentionMs: null }));
    await createTopics(kafka, layouts, { replicationFactor: 1, minInsyncReplicas: 1 }, logger);
    bus = new KafkaBus({ config: kafka, logger });
    database = await createTestDatabase();
    node = await FakeNode.start(LEDGER);
    stop = new AbortController();
    running = project();
    running.catch(() => undefined);
  });
  afterAll(async () => {
    stop.abort();
    await Promise.allSettled([running]);
    await Promise.all([bus.close(), node.close(), database.drop()]);
  });

  function project(): Promise<void> {
    const store = new ProjectionStore(database.dataSource);
    const metrics = createProjectorMetrics(new Registry());
    const { compressedToken } = LIVE_PROGRAMS;
    return new ProjectorService(bus, store, poseidonInline.hashBatch, compressedToken, logger, metrics).run(
      stop.signal,
    );
  }

  function publish(range: (typeof RANGES)[number], signal = stop.signal): Promise<number> {
    const registry = new Registry();
    const trees = new TreeRegistry(generatedTrees(), null);
    const { source } = createTestSource(node, { startSlot: range.from });
    const reader = new SlotReader(trees, new TransactionParser(LIVE_PROGRAMS), createReadMetrics(registry));
    const store = new ProjectionStore(database.dataSource);
    const index = new PostgresRangeIndex(kafka, new Database(database.dataSource, database.url), store, logger);
    const limits = { maxLag: 1_000, intervalMs: 10 };
    const backpressure = new Backpressure([projectorsOf(bus)], limits, logger, createFollowMetrics(registry));
    return new RangePublisher(source, bus, reader, backpressure, index, logger).publish(range, signal);
  }

  async function indexedSlot(): Promise<number> {
    const [state] = await database.dataSource.query<{ indexed_slot: string | null }[]>(
      'SELECT indexed_slot FROM indexer_state',
    );
    return Number(state.indexed_slot);
  }

  const untilIndexed = (slot: number) =>
    eventually(`slot ${slot} is indexed`, async () => (await indexedSlot()) === slot);

  /** The digest of an index that an ingest fills in the order of the chain. */
  async function digestInOrder(): Promise<string> {
    const other = await createTestDatabase();
    const recorded = new RecordingBus();
    await createTestIngest({ source: new PlayedBlocks(BLOCKS), bus: recorded }).run(stop.signal);
    const projector = await RunningProjector.start(other.dataSource);
    await projector.publish(recorded.slots.map((events) => ({ kind: 'slot', events, isOfRange: false })));
    await projector.drain();
    await projector.end();
    const digest = await digestState(other.dataSource);
    await other.drop();
    return digest;
  }

  it('are not published before the first slot of the index', async () => {
    await expect(publish(RANGES[0])).rejects.toThrow('the index has no first slot yet: start ingest');
  });

  it('fill one index side by side: the indexed slot advances when the gaps close', async () => {
    await createTestIngest({ source: new PlayedBlocks(FIRST_BLOCKS), bus }).run(stop.signal);
    await untilIndexed(slotAt(4));
    const [first, second, third] = RANGES;
    expect(await Promise.all([publish(third), publish(first)])).toEqual([third.to + 1, first.to + 1]);
    await bus.waitUntilApplied(SLOT_EVENTS, 'projector', stop.signal);
    await untilIndexed(slotAt(19));
    expect(await publish(second)).toBe(second.to + 1);
    await untilIndexed(LAST);
    expect(await digestState(database.dataSource)).toBe(await digestInOrder());
  });

  it('change nothing when they are published again, overlapping and side by side', async () => {
    const before = await digestState(database.dataSource);
    await Promise.all([...RANGES, { from: slotAt(3), to: slotAt(50) }].map((range) => publish(range)));
    await bus.waitUntilApplied(SLOT_EVENTS, 'projector', stop.signal);
    expect(await digestState(database.dataSource)).toBe(before);
    expect(await indexedSlot()).toBe(LAST);
  });

  it('leave the end of the chain to the ingest that follows it', async () => {
    const range = { from: slotAt(0), to: toSlot(node.tip - 31) };
    await expect(publish(range)).rejects.toThrow(RangeNotFinalError);
    await expect(publish(range)).rejects.toThrow(
      /too close to the chain tip \d+: a range must end at least 32 slots before/,
    );
  });

  it('belong to the index: nothing before its first slot is published', async () => {
    const before = await digestState(database.dataSource);
    const range = { from: toSlot(slotAt(0) - 1), to: LAST };
    await expect(publish(range)).rejects.toThrow(RangeNotIndexedError);
    await expect(publish(range)).rejects.toThrow(
      `slot ${range.from} is before the first slot of this index, ${slotAt(0)}: start a new index with INGEST_START_SLOT`,
    );
    await bus.waitUntilApplied(SLOT_EVENTS, 'projector', stop.signal);
    expect(await digestState(database.dataSource)).toBe(before);
  });

  it('are not published to topics that end before the positions of their consumers', async () => {
    const key = { consumerGroup: 'prover', topic: `${kafka.prefix}${TREE_UPDATES.name}` };
    await setPositions(database.dataSource.manager, key, new Map([[0, 1_000_000n]]));
    await expect(publish({ from: slotAt(0), to: LAST })).rejects.toThrow(OffsetOutOfRangeError);
    await setPositions(database.dataSource.manager, key, new Map([[0, 0n]]));
  });

  it('return where to continue when they are interrupted', async () => {
    const interrupt = new AbortController();
    node.fail({ kind: 'silence' }, { method: 'getBlock', slot: slotAt(45), times: 9 });
    const requests = () => node.requestsOf('getBlock').filter(({ params }) => params[0] === slotAt(45)).length;
    const before = requests();
    const publishing = publish({ from: slotAt(0), to: LAST }, interrupt.signal);
    await eventually('the node is asked', () => requests() > before);
    interrupt.abort();
    expect(await publishing).toBeLessThanOrEqual(slotAt(45));
  });
});
