import { createTopics, KafkaBus, type KafkaConfig } from '@fresnel/adapters/bus';
import { SLOT_EVENTS, TREE_UPDATES, WATERMARK_SLOTS } from '@fresnel/contracts/messages';
import { type Block, JsonCursor, parseBlock } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { createLogger } from '@fresnel/platform';
import { linkBlocks, range } from '@fresnel/testing/chain';
import { createTestIngest, PlayedBlocks } from '@fresnel/testing/ingest';
import { startTestKafka, type TestKafka } from '@fresnel/testing/servers';
import { Kafka, logLevel } from 'kafkajs';
import { TreeRegistry } from '../read/tree-registry';

/** The default number of partitions. */
const PARTITIONS = 6;
const SLOTS_PER_YEAR = (365.25 * 86_400) / 0.2;
const MAX_BYTES_PER_YEAR = 1.5e9;
/** The sizes that docs/adr/0010-kafka.md calculates with, without the previous change: these blocks name none. */
const MAX_WATERMARK_BYTES = 1_600;
const MAX_SLOT_BYTES = 370;
const RANGES = 4;
/** Most slots have no block here, so that the test is short. Watermarks depend on slots. */
const STEP = 16;
const START = 300_000 * WATERMARK_SLOTS;
const logger = createLogger('silent');

const silentBlocks = (from: number, to: number): Block[] =>
  linkBlocks(range(from / STEP, to / STEP - 1).map((at) => at * STEP)).map(({ slot, json }) =>
    parseBlock(new JsonCursor(json), toSlot(slot)),
  );

describe('a chain on which no tree changes', () => {
  let kafka: TestKafka;
  let config: KafkaConfig;
  let bus: KafkaBus;
  beforeAll(async () => {
    kafka = await startTestKafka();
    config = { brokers: kafka.brokers, clientId: 'tests' };
    bus = new KafkaBus({ config, logger });
    const layouts = [SLOT_EVENTS, TREE_UPDATES].map((topic) => ({ topic, partitions: PARTITIONS, retentionMs: null }));
    await createTopics(config, layouts, { replicationFactor: 1, minInsyncReplicas: 1 }, logger);
  });
  afterAll(async () => {
    await bus.close();
    await kafka.drop();
  });

  /** Bytes and records of each partition of a topic. */
  async function sizesOf(topicName: string): Promise<{ bytes: number[]; records: number[] }> {
    const admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topicName);
    await admin.disconnect();
    const records: number[] = [];
    for (const { partition, high } of offsets) records[partition] = Number(high);
    return { bytes: kafka.bytesOf(topicName), records };
  }

  it('writes one watermark to each partition per range of slots: less than 1.5 gigabytes a year', async () => {
    const source = new PlayedBlocks(silentBlocks(START - STEP, START + RANGES * WATERMARK_SLOTS));
    source.tip = { slot: toSlot(START + RANGES * WATERMARK_SLOTS), seenAt: new Date() };
    const trees = new TreeRegistry([], null);
    await createTestIngest({ source, bus, trees }).run(new AbortController().signal);
    const treeUpdates = await sizesOf(TREE_UPDATES.name);
    expect(treeUpdates.records).toEqual(range(1, PARTITIONS).map(() => RANGES + 1));
    const bytesPerYear = (sum(treeUpdates.bytes) / (RANGES * WATERMARK_SLOTS)) * SLOTS_PER_YEAR;
    expect(bytesPerYear).toBeLessThan(MAX_BYTES_PER_YEAR);
    expect(Math.max(...treeUpdates.bytes) / (RANGES + 1)).toBeLessThan(MAX_WATERMARK_BYTES);
    const slotEvents = await sizesOf(SLOT_EVENTS.name);
    expect(sum(slotEvents.bytes) / (1 + (RANGES * WATERMARK_SLOTS) / STEP)).toBeLessThan(MAX_SLOT_BYTES);
  });
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
