import { InMemoryBus } from '@fresnel/adapters/bus';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { PROVER_GROUP, SLOT_EVENTS, type SlotEventsMessage, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type BlockLink } from '@fresnel/domain/chain';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { createProjectorMetrics, ProjectorService } from '@fresnel/features/projector';
import { createLogger, Registry } from '@fresnel/platform';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { createTestSource } from '@fresnel/testing/block-sources';
import { blockhashAt, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { eventually, type LogLine, until } from '@fresnel/testing/generic';
import { createTestIngest } from '@fresnel/testing/ingest';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { NOTHING_PUBLISHED } from '../follow/resume-point';
import { PostgresStoredBlocks } from './stored-blocks';

const logger = createLogger('silent');

/** The block at a slot of a branch that is not on the chain. */
function orphaned(slot: number, parentSlot: number, parentBranch = 'main'): BlockLink {
  return {
    slot: toSlot(slot),
    blockhash: blockhashAt(slot, 'orphaned'),
    parentSlot: toSlot(parentSlot),
    parentBlockhash: blockhashAt(parentSlot, parentBranch),
  };
}

describe('the index beside an ingest', () => {
  let bus: InMemoryBus;
  let node: FakeNode;
  let database: TestDatabase;
  let stop: AbortController;
  let ingestStop: AbortController;
  let running: Promise<unknown>[];
  let lines: LogLine[];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    bus = new InMemoryBus({ capacity: 1_000 });
    await database.empty();
    node = await FakeNode.start(linkBlocks(range(1000, 1003)));
    stop = new AbortController();
    lines = [];
    running = [project(), bus.consume(prover(), stop.signal)];
    for (const each of running) each.catch(() => undefined);
  });
  afterEach(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await node.close();
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
    return new ProjectorService(bus, store, poseidonInline.hashBatch, compressedToken, logger, metrics).run(
      stop.signal,
    );
  }

  /** @param after the slot after which it resumes; null: it starts a new index */
  function startIngest(after: number | null = null): void {
    const stored = new PostgresStoredBlocks(
      new ProjectionStore(database.dataSource),
      new PostgresTreeReads(database.dataSource.manager),
    );
    const { source } = createTestSource(node, { startSlot: toSlot(1000), pollIntervalMs: 20 });
    const published =
      after === null
        ? []
        : range(after - 31, after).map((slot) => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) }));
    const find = () => Promise.resolve({ ...NOTHING_PUBLISHED, published });
    const ingest = createTestIngest({ source, bus, stored, lines, find, repairIntervalMs: 20 });
    ingestStop = new AbortController();
    const ended = ingest.run(AbortSignal.any([stop.signal, ingestStop.signal]));
    ended.catch(() => undefined);
    running.push(ended);
  }

  function stopIngest(): void {
    ingestStop.abort();
  }

  /** Ends when ingest has looked some more times for what to repair. */
  async function untilLookedAgain(): Promise<void> {
    const looks = jest.spyOn(PostgresStoredBlocks.prototype, 'findIndexed');
    await until(() => looks.mock.calls.length > 4, running);
    looks.mockRestore();
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
      blocks.map(
        (block) =>
          ({ kind: 'watermark', ...block, previousChange: null, silentBlocks: [], changesTrees: false }) as const,
      ),
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

  describe('reverts a block that only an ingest which has ended published', () => {
    it.each([
      ['in place of a block', [orphaned(1004, 1003)]],
      [
        'several, in place of several',
        [orphaned(1004, 1003), orphaned(1005, 1004, 'orphaned'), orphaned(1006, 1005, 'orphaned')],
      ],
      ['after a slot that the chain has', [orphaned(1005, 1003)]],
    ])('and the chain takes its place: %s', async (_, blocks) => {
      startIngest();
      await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
      await publish(...blocks);
      await eventually('the blocks are stored', async () => (await storedBlocks()).length === 4 + blocks.length);
      const chain = await growChainUntil(async () => (await indexedSlot()) > 1012);
      await eventually('all is indexed', async () => (await indexedSlot()) === node.tip);
      expect(await storedBlocks()).toEqual(onChain(chain));
      expect(lines.filter(({ msg }) => msg.includes('reverting orphaned blocks'))).toMatchObject([
        { depth: blocks.length },
      ]);
    });

    it('but not before it is final', async () => {
      startIngest();
      await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
      await publish(orphaned(1004, 1003));
      await eventually('the block is stored', async () => (await storedBlocks()).length === 5);
      node.add(linkBlocks(range(1004, 1035)));
      await eventually('the others are stored', async () => (await storedBlocks()).length > 30);
      await untilLookedAgain();
      expect(await indexedSlot()).toBe(1004);
      node.add(linkBlocks(range(1036, 1040)));
      await eventually('the block is reverted', async () => (await indexedSlot()) > 1030);
    });

    it('but not while the node has it, or is behind', async () => {
      startIngest();
      await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
      const stored = onChain(range(1000, 1003));
      await publish({ ...orphaned(1004, 1003), blockhash: blockhashAt(1004) });
      await eventually('the block is stored', async () => (await storedBlocks()).length === 5);
      await growChainUntil(async () => (await indexedSlot()) > 1010);
      expect((await storedBlocks()).slice(0, 4)).toEqual(stored);
      expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
    });

    it('also if it is a sibling of a block of the chain, and stops the index', async () => {
      startIngest();
      await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
      await publish(orphaned(1004, 1003), orphaned(1006, 1004, 'orphaned'));
      node.add(linkBlocks([1005], { parent: 1003 }));
      node.add(linkBlocks(range(1006, 1060)));
      await eventually('all is indexed', async () => (await indexedSlot()) === 1060);
      expect(await storedBlocks()).toEqual(onChain([...range(1000, 1003), ...range(1005, 1060)]));
    });
  });

  describe('publishes blocks of the chain again that are not stored', () => {
    const remove = (slots: number[]) => database.dataSource.query(`DELETE FROM blocks WHERE slot = ANY ($1)`, [slots]);
    /** Indexes blocks up to slot 1003, and stores later ones. The blocks at `missing` slots are not stored. */
    async function loseBlocks(missing: number[], tip: number): Promise<void> {
      startIngest();
      node.add(linkBlocks(range(1004, tip)));
      await eventually('all is indexed', async () => (await indexedSlot()) === tip);
      stopIngest();
      await remove(missing);
      await database.dataSource.query(`UPDATE indexer_state SET indexed_slot = 1003`);
    }

    it.each([
      ['one', [1004]],
      ['some', [1005, 1006, 1010]],
      ['more than are compared at once', range(1004, 1150)],
    ])('after a restart: %s', async (_, missing) => {
      await loseBlocks(missing, 1200);
      startIngest(1200);
      await eventually('all is indexed', async () => (await indexedSlot()) === 1200);
      expect(await storedBlocks()).toEqual(onChain(range(1000, 1200)));
      expect(lines.filter(({ msg }) => msg.includes('reverting'))).toEqual([]);
    });

    it('but not before they are final, nor while the node does not prove that they are', async () => {
      await loseBlocks([1005], 1034);
      startIngest(1034);
      const isStored = async () => (await storedBlocks()).some(([slot]) => slot === 1005);
      await untilLookedAgain();
      expect(await isStored()).toBe(false);
      node.finalizedLag = 60;
      node.add(linkBlocks(range(1035, 1050)));
      await eventually('it is asked for', () =>
        lines.some(({ reason }) => String(reason).includes('finalized slot is below')),
      );
      expect(await isStored()).toBe(false);
      node.finalizedLag = 0;
      await eventually('all is indexed', async () => (await indexedSlot()) === 1050);
    });
  });

  describe('adopts blocks of the chain that were reverted,', () => {
    /** Publishes the reverts of blocks, newest first, as another ingest. */
    async function revert(slots: readonly number[]): Promise<void> {
      const reverts = slots.map((slot) => ({
        kind: 'slot-reverted' as const,
        slot: toSlot(slot),
        blockhash: blockhashAt(slot),
      }));
      await bus.publish(TREE_UPDATES, reverts, stop.signal);
      await bus.publish(SLOT_EVENTS, reverts, stop.signal);
    }

    it.each([
      ['by one ingest', 1],
      ['by one of two ingests', 2],
    ])('and those after them: %s', async (_, ingests) => {
      for (let count = 0; count < ingests; count++) startIngest();
      await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
      await revert([1003, 1002]);
      await eventually('the blocks are reverted', async () => (await indexedSlot()) === 1001);
      const chain = await growChainUntil(async () => (await indexedSlot()) > 1012);
      await eventually('all is indexed', async () => (await indexedSlot()) === node.tip);
      expect(await storedBlocks()).toEqual(onChain(chain));
      expect(lines.filter(({ msg }) => msg.includes('reverting'))).toEqual([]);
      expect(lines.some(({ msg }) => msg.startsWith('adopting reverted blocks'))).toBe(true);
    });

    it('but no others', async () => {
      startIngest();
      await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
      await publish(orphaned(1004, 1003));
      await eventually('the block is stored', async () => (await storedBlocks()).length === 5);
      await growChainUntil(async () => (await indexedSlot()) > 1012);
      const tombstones = await database.dataSource.query<{ blockhash: Buffer }[]>(
        'SELECT blockhash FROM orphaned_blocks',
      );
      expect(tombstones).toEqual([{ blockhash: blockhashAt(1004, 'orphaned') }]);
    });
  });

  describe('does not revert a block of the chain because of one wrong answer:', () => {
    it.each([
      ['a node is behind', -32004],
      ['a node has a hole in its ledger', -32007],
      ['a node has deleted the block', -32001],
    ])('%s', async (_, code) => {
      startIngest();
      await eventually('the first blocks are indexed', async () => (await indexedSlot()) === 1003);
      const lock = database.dataSource.createQueryRunner();
      await lock.startTransaction();
      await lock.query(`SELECT pg_advisory_xact_lock(hashtext('fresnel-slots'))`); // the projectors stand still
      node.fail({ kind: 'error', code }, { method: 'getBlock', slot: 1003, times: 1 });
      for (const slot of range(1004, 1060)) {
        node.add(linkBlocks([slot]));
        await until(() => node.requestsOf('getBlock').some(({ params }) => params[0] === slot), running);
      }
      await untilLookedAgain();
      await lock.commitTransaction();
      await lock.release();
      await eventually('all is indexed', async () => (await indexedSlot()) === 1060);
      await untilLookedAgain();
      expect(lines.filter(({ msg }) => msg.includes('reverting'))).toEqual([]);
    });
  });
});
