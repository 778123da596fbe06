import { createTopics, KafkaBus } from '@fresnel/adapters/bus';
import {
  PROJECTOR_GROUP,
  PROVER_GROUP,
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
} from '@fresnel/contracts/messages';
import { JsonCursor, parseBlock } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { createLogger, Registry } from '@fresnel/platform';
import { linkBlocks, range } from '@fresnel/testing/chain';
import { eventually, type LogLine } from '@fresnel/testing/generic';
import { createTestIngest, PlayedBlocks } from '@fresnel/testing/ingest';
import { sharedKafka } from '@fresnel/testing/servers';

const PARTITIONS = 2;
const MAX_LAG = 50;
/** Blocks that ingest may publish between two readings of the lag. */
const TOLERANCE = 250;
const BLOCKS = linkBlocks(range(1, 400)).map(({ slot, json }) => parseBlock(new JsonCursor(json), toSlot(slot)));
const logger = createLogger('silent');

describe('FollowService while a consumer is frozen', () => {
  let bus: KafkaBus;
  let stop: AbortController;
  let running: Promise<unknown>[];
  beforeAll(async () => {
    const config = await sharedKafka();
    const layouts = [SLOT_EVENTS, TREE_UPDATES].map((topic) => ({ topic, partitions: PARTITIONS, retentionMs: null }));
    await createTopics(config, layouts, { replicationFactor: 1, minInsyncReplicas: 1 }, logger);
    bus = new KafkaBus({ config, logger });
  });
  beforeEach(() => {
    stop = new AbortController();
    running = [];
  });
  afterEach(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await bus.close();
  });

  it('waits for it, and publishes the rest when it continues', async () => {
    const thaw = new AbortController();
    const thawed = new Promise((resolve) => {
      thaw.signal.addEventListener('abort', resolve);
    });
    const received: number[] = [];
    const onBatch = async ({ messages }: { messages: readonly SlotEventsMessage[] }) => {
      await thawed;
      received.push(...messages.flatMap((message) => (message.kind === 'slot' ? [message.events.slot] : [])));
    };
    const start = { maxBatch: 100, claimPartition: () => Promise.resolve(null) };
    running.push(bus.consume({ ...start, group: PROJECTOR_GROUP, topic: SLOT_EVENTS, onBatch }, stop.signal));
    const prover = { ...start, group: PROVER_GROUP, topic: TREE_UPDATES, onBatch: () => Promise.resolve() };
    running.push(bus.consume(prover, stop.signal));
    const lines: LogLine[] = [];
    const registry = new Registry();
    const valueOf = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value;
    const published = () => valueOf('fresnel_ingest_slot');
    const ingest = createTestIngest({
      source: new PlayedBlocks(BLOCKS),
      bus,
      registry,
      lines,
      options: { backpressure: { maxLag: MAX_LAG, intervalMs: 50 } },
    });
    const ended = ingest.run(stop.signal);
    running.push(ended);

    await eventually('ingest waits', () => ingest.follow.isHeld && lines.some(({ lag }) => isFrozen(lag)));
    const atFirst = (await published()) ?? 0;
    const readings = jest.spyOn(bus, 'findLag');
    await eventually('ingest has read the lag again', () => readings.mock.calls.length > 6);
    expect(await published()).toBe(atFirst);
    expect(atFirst).toBeGreaterThan(MAX_LAG);
    expect(atFirst).toBeLessThan(MAX_LAG * PARTITIONS + TOLERANCE);
    expect(await valueOf('fresnel_ingest_waits_for_consumers')).toBe(1);

    thaw.abort();
    await ended;
    await eventually('everything is received', () => received.length === BLOCKS.length);
    expect(received.sort((a, b) => a - b)).toEqual(range(1, BLOCKS.length));
    expect(await valueOf('fresnel_ingest_waits_for_consumers')).toBe(0);
  });
});

/** Whether it was the frozen consumer that ingest waits for. */
function isFrozen(lag: unknown): boolean {
  return typeof lag === 'object' && lag !== null && PROJECTOR_GROUP in lag && Number(lag[PROJECTOR_GROUP]) > MAX_LAG;
}
