import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, InMemoryBus } from '@fresnel/adapters/bus';
import {
  type BlockRef,
  type BlockSource,
  type ChainTip,
  ForkError,
  MissingHistoryError,
  parseBlock,
  type TreeSource,
} from '@fresnel/adapters/chain';
import {
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { type Block, LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { type Pubkey, toSlot, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { foldTreeChanges, type SlotEvents, TreeDirectory } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { Registry } from '@fresnel/platform';
import { captureLog, readGeneratedSlots } from '@fresnel/testing';
import { createIngestMetrics } from './ingest.metrics';
import { type IngestOptions, IngestService } from './ingest.service';
import { Progress } from './progress';
import { TreeRegistry } from './tree-registry';

const TREES = generatedTrees();
const LEDGER = [...generateLedger({ seed: 41, slots: 40 })];
const BLOCKS = LEDGER.map(({ slot, json }) => parseBlock(toSlot(slot), JSON.parse(json), json, []));
const SLOTS = BLOCKS.map(({ slot }) => slot);
const TIP: ChainTip = { slot: toSlot(9_999), seenAt: new Date(1_700_000_000_000) };
const isSlot = (message: SlotEventsMessage) => message.kind === 'slot';

/** Settles when the signal says stop, and not before. */
const untilStopped = (signal: AbortSignal) =>
  new Promise<never>((_, fail) => {
    const stop = () => {
      fail(new Error('stopped'));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });

/** Plays blocks, then does whatever comes at the end. */
class FakeSource implements BlockSource {
  tip: ChainTip | null = null;
  readonly begunAfter: (BlockRef | null)[] = [];

  constructor(
    private readonly played: readonly Block[] = BLOCKS,
    private readonly end: (signal: AbortSignal) => Promise<void> = () => Promise.resolve(),
  ) {}

  identify(): Promise<string> {
    return Promise.resolve('a chain');
  }

  async *blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    this.begunAfter.push(after);
    yield* this.played.filter(({ slot }) => slot > (after?.slot ?? -1));
    await this.end(signal);
  }
}

/** Keeps what is published, in one order for all topics. */
class FakeBus {
  readonly published: (SlotEventsMessage | TreeUpdatesMessage)[] = [];
  readonly bus = new InMemoryBus({ capacity: 10_000 });

  constructor() {
    const publish = this.bus.publish.bind(this.bus);
    jest.spyOn(this.bus, 'publish').mockImplementation(async (topic, messages, signal) => {
      this.published.push(...(messages as SlotEventsMessage[]));
      await publish(topic, messages, signal);
    });
  }

  get slots(): SlotEvents[] {
    return this.published
      .filter(({ kind }) => kind === 'slot')
      .map((message) => (message as { events: SlotEvents }).events);
  }

  get tips(): unknown[] {
    return this.published.filter(({ kind }) => kind === 'tip');
  }

  get kinds(): string[] {
    return this.published.map(({ kind }) => kind);
  }
}

interface Parts {
  source: BlockSource;
  bus: Bus;
  find: (chain: string) => Promise<BlockRef | null>;
  trees: TreeRegistry;
  options: Partial<IngestOptions>;
}

describe('IngestService', () => {
  let kept: FakeBus;
  let stop: AbortController;
  let registry: Registry;
  let progress: Progress;
  let log: ReturnType<typeof captureLog>;
  beforeEach(() => {
    kept = new FakeBus();
    stop = new AbortController();
    registry = new Registry();
    log = captureLog();
    progress = new Progress({ terminal: null, intervalMs: 1_000 }, log.logger, () => 0);
  });

  function run(parts: Partial<Parts> = {}): Promise<void> {
    const { source = new FakeSource(), bus = kept.bus, trees = new TreeRegistry(TREES, null) } = parts;
    const { find = () => Promise.resolve(null) } = parts;
    const options = { wantedTrees: [], tipIntervalMs: 60_000, ...parts.options };
    const parser = new TransactionParser(LIVE_PROGRAMS);
    const metrics = createIngestMetrics(registry);
    return new IngestService(source, bus, { find }, trees, parser, progress, options, log.logger, metrics).run(
      stop.signal,
    );
  }

  describe('publishes', () => {
    it('every slot in order, each with everything that happened in it', async () => {
      await run();
      const expected = readGeneratedSlots(LEDGER);
      expect(kept.slots.map(({ trees, ...slot }) => slot)).toEqual(expected.map(({ trees, ...slot }) => slot));
    });

    it('what consumers then get from the bus', async () => {
      const bus = new InMemoryBus({ partitionCount: 3, capacity: 4 });
      const got: number[] = [];
      const stopConsumers = new AbortController();
      const common = { group: 'one', maxBatch: 7, findPosition: () => Promise.resolve(null) };
      const consumers = Promise.all([
        bus.consume({ ...common, topic: TREE_UPDATES, onBatch: () => Promise.resolve() }, stopConsumers.signal),
        bus.consume(
          {
            ...common,
            topic: SLOT_EVENTS,
            onBatch: async ({ messages }) => {
              await sleep(1);
              got.push(...messages.flatMap((message) => (message.kind === 'slot' ? [message.events.slot] : [])));
            },
          },
          stopConsumers.signal,
        ),
      ]);
      await run({ bus });
      await bus.whenDrained(stop.signal);
      stopConsumers.abort();
      await consumers;
      expect(got.sort((a, b) => a - b)).toEqual(SLOTS);
    });

    it('what a slot did to trees before the slot, and then that the slot is reached', async () => {
      await run();
      const expected = kept.slots.flatMap((slot) => [
        ...foldTreeChanges(slot).map(() => 'update'),
        'slot-reached',
        'slot',
      ]);
      expect(kept.kinds).toEqual(expected);
      expect(expected.filter((kind) => kind === 'update').length).toBeGreaterThan(10);
      const reached = kept.published.flatMap((message) => (message.kind === 'slot-reached' ? [message.slot] : []));
      expect(reached).toEqual(SLOTS);
    });

    it('with every slot the trees that it names, and with the first all that are known', async () => {
      await run();
      const [first, ...others] = kept.slots;
      expect(first.trees).toEqual(TREES);
      for (const { transactions, trees } of kept.slots) {
        const directory = new TreeDirectory(trees);
        const named = transactions.flatMap(({ events }) =>
          events.flatMap((event): Pubkey[] =>
            event.kind === 'transition'
              ? [...event.outputs.map(({ treeAccount }) => treeAccount), ...event.newAddresses.map(({ tree }) => tree)]
              : [event.tree],
          ),
        );
        for (const account of named) expect(directory.find(account)).toBeDefined();
      }
      for (const { trees, transactions } of others) expect(trees.length > 0).toBe(transactions.length > 0);
    });

    it('trees that it only hears of on the way, and asks for each once', async () => {
      const asked: Pubkey[] = [];
      const treeSource: TreeSource = {
        listTrees: () => Promise.resolve([]),
        findTrees: (keys) => {
          asked.push(...keys);
          return Promise.resolve(
            TREES.filter((tree) => keys.some((key) => key.equals(tree.tree) || key.equals(tree.queue))),
          );
        },
      };
      await run({ trees: new TreeRegistry([], treeSource) });
      const found = new Set(kept.slots.flatMap(({ trees }) => trees));
      expect(found.size).toBe(TREES.length);
      expect(asked).toHaveLength(TREES.length);
    });

    it('trees that are wanted in any case with the first slot', async () => {
      const [wanted] = TREES;
      const treeSource: TreeSource = {
        listTrees: () => Promise.resolve([]),
        findTrees: (keys) => Promise.resolve(keys.some((key) => key.equals(wanted.tree)) ? [wanted] : []),
      };
      const options = { wantedTrees: [wanted.tree, ZERO_PUBKEY] };
      await run({ trees: new TreeRegistry([], treeSource), options });
      const first: TreeInfo[] = kept.slots[0].trees;
      expect(first).toContain(wanted);
    });

    it('the time of the block before for a block that knows none', async () => {
      const [a, b, c] = BLOCKS;
      await run({ source: new FakeSource([a, { ...b, blockTime: null }, c]) });
      expect(kept.slots.map(({ blockTime }) => blockTime)).toEqual([a.blockTime, a.blockTime, c.blockTime]);
    });
  });

  describe('resumes', () => {
    it('behind the block that consumers have, and tells all trees again', async () => {
      const at = BLOCKS[10];
      const chains: string[] = [];
      const source = new FakeSource();
      const find = (chain: string) => {
        chains.push(chain);
        return Promise.resolve({ slot: at.slot, blockhash: at.blockhash });
      };
      await run({ source, find });
      expect(chains).toEqual(['a chain']);
      expect(source.begunAfter).toEqual([{ slot: at.slot, blockhash: at.blockhash }]);
      expect(kept.slots.map(({ slot }) => slot)).toEqual(SLOTS.slice(11));
      expect(kept.slots.map(({ isFirst }) => isFirst)).not.toContain(true);
      expect(kept.slots[0].trees).toEqual(TREES);
    });

    it('not at all where consumers hold another chain', async () => {
      const find = () => Promise.reject(new Error('another chain'));
      await expect(run({ find })).rejects.toThrow('another chain');
      expect(kept.published).toEqual([]);
    });
  });

  it('counts what it read, and tells the progress how far it is', async () => {
    const advance = jest.spyOn(progress, 'advance');
    const source = new FakeSource();
    source.tip = TIP;
    await run({ source });
    expect(advance.mock.calls).toEqual(SLOTS.map((slot) => [slot, TIP.slot]));
    const sumOf = async (name: string) =>
      (await registry.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0);
    const transactions = LEDGER.flatMap(({ facts }) => facts.transactions);
    expect(await sumOf('fresnel_ingest_blocks_total')).toBe(BLOCKS.length);
    expect(await sumOf('fresnel_ingest_transactions_total')).toBe(transactions.length);
    expect(await sumOf('fresnel_ingest_events_total')).toBe(transactions.flatMap(({ events }) => events).length);
    expect(await sumOf('fresnel_ingest_slot')).toBe(SLOTS.at(-1));
  });

  describe('tells the tip', () => {
    it('behind every slot, once it is known', async () => {
      const source = new FakeSource();
      source.tip = TIP;
      await run({ source });
      const messages = kept.published.filter((message) => message.kind === 'tip' || message.kind === 'slot');
      expect(messages.filter((_, at) => at % 2 === 0).every((message) => message.kind === 'slot')).toBe(true);
      expect(messages.filter((_, at) => at % 2 === 1)).toEqual(SLOTS.map(() => ({ kind: 'tip', ...TIP })));
    });

    it('while no block comes', async () => {
      const source = new FakeSource([], untilStopped);
      const running = run({ source, options: { tipIntervalMs: 2 } });
      await sleep(20);
      expect(kept.tips).toEqual([]);
      source.tip = TIP;
      while (kept.tips.length < 3) await sleep(1);
      stop.abort();
      await running;
      expect(new Set(kept.tips)).toEqual(new Set([{ kind: 'tip', ...TIP }]));
      expect(kept.slots).toEqual([]);
    });

    it('no more once the source has ended', async () => {
      const source = new FakeSource();
      source.tip = TIP;
      await run({ source, options: { tipIntervalMs: 2 } });
      const { length } = kept.tips;
      await sleep(20);
      expect(kept.tips).toHaveLength(length);
    });
  });

  describe('ends without a word when told to', () => {
    it.each([
      ['before it begins', (): Partial<Parts> => (stop.abort(), { source: new FakeSource([], untilStopped) })],
      [
        'while it asks which chain it is',
        () => ({
          source: { tip: null, identify: untilStopped, blocks: () => new FakeSource().blocks(null, stop.signal) },
        }),
      ],
      [
        'while it looks for its trees',
        () => ({ trees: new TreeRegistry([], { listTrees: untilStopped, findTrees: untilStopped }) }),
      ],
      ['while no block comes', () => ({ source: new FakeSource([], untilStopped) })],
      [
        'while it looks for a tree of a block',
        () => ({
          trees: new TreeRegistry([], {
            listTrees: () => Promise.resolve([]),
            findTrees: (_, signal) => untilStopped(signal),
          }),
        }),
      ],
      ['while the bus is full', () => ({ bus: new InMemoryBus({ capacity: 2 }) })],
    ] satisfies [string, () => Partial<Parts>][])('%s', async (_, parts) => {
      const running = run(parts());
      await sleep(5);
      stop.abort();
      await expect(running).resolves.toBeUndefined();
    });
  });

  describe('fails', () => {
    it.each([new ForkError('the chain forked'), new MissingHistoryError('blocks are gone')])(
      'as its source does: %s',
      async (error) => {
        const source = new FakeSource(BLOCKS.slice(0, 3), () => Promise.reject(error));
        source.tip = TIP;
        await expect(run({ source, options: { tipIntervalMs: 1 } })).rejects.toBe(error);
        expect(kept.slots.map(({ slot }) => slot)).toEqual(SLOTS.slice(0, 3));
      },
    );

    it.each([
      ['a slot', SLOT_EVENTS.name, BLOCKS],
      ['trees', TREE_UPDATES.name, BLOCKS],
      ['the tip while no block comes', SLOT_EVENTS.name, []],
    ])('when the bus takes no message about %s', async (_, name, blocks) => {
      const source = new FakeSource(blocks, untilStopped);
      source.tip = TIP;
      const bus: Bus = {
        publish: (topic) => (topic.name === name ? Promise.reject(new Error('no bus')) : Promise.resolve()),
        consume: () => Promise.resolve(),
      };
      await expect(run({ source, bus, options: { tipIntervalMs: 1 } })).rejects.toThrow('no bus');
    });
  });
});
