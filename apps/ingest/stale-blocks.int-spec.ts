import { setTimeout as sleep } from 'node:timers/promises';
import { InMemoryBus } from '@fresnel/adapters/bus';
import { Database } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { PROVER_GROUP, SLOT_EVENTS, type SlotEventsMessage, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type BlockLink } from '@fresnel/domain/chain';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { createProjectorMetrics, ProjectorService } from '@fresnel/features/projector';
import { createLogger, Registry } from '@fresnel/platform';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { createTestSource } from '@fresnel/testing/block-sources';
import { blockhashAt, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { eventually, type LogLine } from '@fresnel/testing/generic';
import { createTestIngest } from '@fresnel/testing/ingest';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { PostgresStoredBlocks } from './postgres.stored-blocks';

const log = createLogger('silent');

/** The block at a slot of a branch that is not on the chain. */
function orphaned(slot: number, parentSlot: number, parentBranch = 'main'): BlockLink {
  return {
    slot: toSlot(slot),
    blockhash: blockhashAt(slot, 'orphaned'),
    parentSlot: toSlot(parentSlot),
    parentBlockhash: blockhashAt(parentSlot, parentBranch),
  };
}

describe('a block that only an ingest which has ended published', () => {
  let bus: InMemoryBus;
  let node: FakeNode;
  let database: TestDatabase;
  let stop: AbortController;
  let running: Promise<unknown>[];
  let lines: LogLine[];
  beforeEach(async () => {
    bus = new InMemoryBus({ capacity: 1_000 });
    database = await createTestDatabase();
    node = await FakeNode.start(linkBlocks(range(1000, 1003)));
    stop = new AbortController();
    lines = [];
    running = [project(), bus.consume(prover(), stop.signal)];
    for (const each of running) each.catch(() => undefined);
  });
  afterEach(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await Promise.all([node.close(), database.drop()]);
  });

  const prover = () => ({
    group: PROVER_GROUP,
    topic: TREE_UPDATES,
    maxBatch: 100,
    claimPartition: () => Promise.resolve(0n),
    onBatch: () => Promise.resolve(),
  });

  function project(): Promise<void> {
    const store = new ProjectionStore(database.dataSource);
    const metrics = createProjectorMetrics(new Registry());
    const { compressedToken } = LIVE_PROGRAMS;
    return new ProjectorService(bus, store, poseidonInline.hashBatch, compressedToken, log, metrics).run(stop.signal);
  }

  function startIngest(): void {
    const stored = new PostgresStoredBlocks(
      new Database(database.dataSource, database.url),
      new ProjectionStore(database.dataSource),
    );
    const { source } = createTestSource(node, { startSlot: toSlot(1000) });
    const ingest = createTestIngest({ source, bus, stored, lines, options: { staleCheckIntervalMs: 20 } });
    const ended = ingest.run(stop.signal);
    ended.catch(() => undefined);
    running.push(ended);
  }

  /** Publishes blocks without events, as another ingest. */
  async function publish(...blocks: BlockLink[]): Promise<void> {
    const rest = {
      blockTime: 0,
      blockHeight: null,
      isFirst: false,
      transactions: [],
      trees: [],
      deadLetters: [],
      signatures: null,
    };
    const slots = blocks.map((block): SlotEventsMessage => ({
      kind: 'slot',
      events: { ...block, ...rest },
      isOfRange: false,
    }));
    await bus.publish(
      TREE_UPDATES,
      blocks.map((block) => ({ kind: 'watermark', ...block, silent: [] }) as const),
      stop.signal,
    );
    await bus.publish(SLOT_EVENTS, slots, stop.signal);
  }

  const storedBlocks = async () => {
    const rows = await database.dataSource.query<{ slot: string; blockhash: Buffer }[]>(
      'SELECT slot, blockhash FROM blocks ORDER BY slot',
    );
    return rows.map(({ slot, blockhash }) => [Number(slot), blockhash.toString('hex')]);
  };
  const onChain = (slots: number[]) => slots.map((slot) => [slot, blockhashAt(slot).toString('hex')]);
  const indexedSlot = async () => {
    const [{ indexed_slot: slot }] = await database.dataSource.query<{ indexed_slot: string | null }[]>(
      'SELECT indexed_slot FROM indexer_state',
    );
    return Number(slot);
  };

  /** Adds a block to the chain at intervals until a condition is true. @returns the slots of the chain */
  async function growChainUntil(condition: () => Promise<boolean>): Promise<number[]> {
    await eventually('the condition is true', async () => {
      node.add(linkBlocks([node.tip + 1]));
      return condition();
    });
    return range(1000, node.tip);
  }

  it.each([
    ['in place of a block', [orphaned(1004, 1003)]],
    [
      'several, in place of several',
      [orphaned(1004, 1003), orphaned(1005, 1004, 'orphaned'), orphaned(1006, 1005, 'orphaned')],
    ],
    ['after a slot that the chain has', [orphaned(1005, 1003)]],
  ])('is reverted by another ingest, and the chain takes its place: %s', async (_, blocks) => {
    startIngest();
    await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
    await publish(...blocks);
    await eventually('the blocks are stored', async () => (await storedBlocks()).length === 4 + blocks.length);
    const chain = await growChainUntil(async () => (await indexedSlot()) > 1012);
    await eventually('all is indexed', async () => (await indexedSlot()) === node.tip);
    expect(await storedBlocks()).toEqual(onChain(chain));
    expect(lines.filter(({ msg }) => msg.startsWith('reverting stored blocks'))).toMatchObject([
      { blocks: blocks.length },
    ]);
  });

  it('is not reverted before it is final', async () => {
    startIngest();
    await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
    await publish(orphaned(1004, 1003));
    await eventually('the block is stored', async () => (await storedBlocks()).length === 5);
    node.add(linkBlocks(range(1004, 1035)));
    await eventually('the others are stored', async () => (await storedBlocks()).length > 30);
    await sleep(300);
    expect(await indexedSlot()).toBe(1004);
    node.add(linkBlocks(range(1036, 1040)));
    await eventually('the block is reverted', async () => (await indexedSlot()) > 1030);
  });

  it('is not reverted while the node has it, or is behind', async () => {
    startIngest();
    await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
    const stored = onChain(range(1000, 1003));
    await publish({ ...orphaned(1004, 1003), blockhash: blockhashAt(1004) });
    await eventually('the block is stored', async () => (await storedBlocks()).length === 5);
    await growChainUntil(async () => (await indexedSlot()) > 1010);
    expect((await storedBlocks()).slice(0, 4)).toEqual(stored);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});
