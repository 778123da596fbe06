import { setImmediate as nextTurn } from 'node:timers/promises';
import { InMemoryBus } from '@fresnel/adapters/bus';
import { type ChainTip, type TreeSource } from '@fresnel/adapters/chain';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type CompressionEvent, JsonCursor, parseBlock } from '@fresnel/domain/events';
import { type Pubkey, toSlot, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { foldTreeChanges, type SlotEvents, TreeDirectory } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { Registry } from '@fresnel/platform';
import { useTime } from '@fresnel/platform/time';
import { linkBlocks, range } from '@fresnel/testing/chain';
import { captureLog, ManualTime, until } from '@fresnel/testing/generic';
import {
  createTestIngest,
  PlayedBlocks,
  RecordingBus,
  rejectOnAbort,
  type TestIngestParts,
} from '@fresnel/testing/ingest';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { Progress } from './progress';
import { NOTHING_PUBLISHED } from './resume-point';
import { TreeRegistry } from '../read/tree-registry';

const TREES = generatedTrees();
const LEDGER = [...generateLedger({ seed: 41, slots: 40 })];
const BLOCKS = LEDGER.map(({ slot, json }) => parseBlock(new JsonCursor(json), toSlot(slot)));
const SLOTS = BLOCKS.map(({ slot }) => slot);
const TIP: ChainTip = { slot: toSlot(9_999), seenAt: new Date(1_700_000_000_000) };

const withoutTrees = (slot: SlotEvents) => ({ ...slot, trees: [] });

/** Every tree and queue that an event names. */
function accountsIn(event: CompressionEvent): Pubkey[] {
  if (event.kind === 'leaf-migrated') return [event.queue];
  if (event.kind !== 'transition') return [event.tree];
  return [...event.outputs.map(({ treeAccount }) => treeAccount), ...event.newAddresses.map(({ tree }) => tree)];
}

describe('FollowService', () => {
  const { signal } = new AbortController();
  let bus: RecordingBus;
  beforeEach(() => {
    bus = new RecordingBus();
  });

  function run(parts: Partial<TestIngestParts> = {}, until = signal): Promise<void> {
    return createTestIngest({ source: new PlayedBlocks(BLOCKS), bus, ...parts }).run(until);
  }

  describe('publishes', () => {
    it('every slot in order, each with all its events', async () => {
      await run();
      const expected = readGeneratedSlots(LEDGER);
      expect(bus.slots.map(withoutTrees)).toEqual(expected.map(withoutTrees));
    });

    it('records that consumers receive from the bus', async () => {
      const bus = new InMemoryBus({ partitionCount: 3, capacity: 4 });
      const received: number[] = [];
      const stopConsumers = new AbortController();
      const common = { group: 'one', maxBatch: 7, claimPartition: () => Promise.resolve(null) };
      const consumers = Promise.all([
        bus.consume({ ...common, topic: TREE_UPDATES, onBatch: () => Promise.resolve() }, stopConsumers.signal),
        bus.consume(
          {
            ...common,
            topic: SLOT_EVENTS,
            onBatch: async ({ messages }) => {
              await nextTurn();
              received.push(...messages.flatMap((message) => (message.kind === 'slot' ? [message.events.slot] : [])));
            },
          },
          stopConsumers.signal,
        ),
      ]);
      await run({ bus });
      await bus.waitUntilDrained(signal);
      stopConsumers.abort();
      await consumers;
      expect(received.sort((a, b) => a - b)).toEqual(SLOTS);
    });

    it('the tree changes of a slot, then its watermark, then its events', async () => {
      await run();
      const expected = bus.slots.flatMap((slot) => {
        const updates = foldTreeChanges(slot).map(() => 'update');
        return [...updates, ...(updates.length > 0 ? ['watermark'] : []), 'slot'];
      });
      expect(bus.published.map(({ kind }) => kind)).toEqual(expected);
      expect(expected.filter((kind) => kind === 'update').length).toBeGreaterThan(10);
    });

    it('a watermark for the last silent slots while no block follows', async () => {
      const [first, ...silent] = linkBlocks(range(100, 105)).map(({ slot, json }) =>
        parseBlock(new JsonCursor(json), toSlot(slot)),
      );
      const time = new ManualTime();
      const restoreTime = useTime(time);
      const stop = new AbortController();
      let hasPublishedAll = false;
      const source = new PlayedBlocks([first, ...silent], (signal) => {
        hasPublishedAll = true;
        return rejectOnAbort(signal);
      });
      const running = run({ source, options: { tipIntervalMs: 1_000 } }, stop.signal);
      await until(() => hasPublishedAll, [running]);
      for (let interval = 0; interval < 3; interval++) {
        time.advance(1_000);
        await until(() => time.pending > 0, [running]);
      }
      stop.abort();
      await running;
      restoreTime();
      expect(bus.ofKind('watermark').map(({ slot }) => slot)).toEqual([100, 105]);
    });

    it('with every slot the trees that it names, and with the first slot all known trees', async () => {
      await run();
      const [first, ...others] = bus.slots;
      expect(first.trees).toEqual(TREES);
      for (const { transactions, trees } of bus.slots) {
        const directory = new TreeDirectory(trees);
        const named = transactions.flatMap(({ events }) => events.flatMap(accountsIn));
        for (const account of named) expect(directory.find(account)).toBeDefined();
      }
      for (const { trees, transactions } of others) expect(trees.length > 0).toBe(transactions.length > 0);
    });

    it('trees that it discovers in transactions, and looks each up once', async () => {
      const lookups: Pubkey[] = [];
      const treeSource: TreeSource = {
        listTrees: () => Promise.resolve([]),
        findTrees: ({ accounts, minContextSlot: slot }) => {
          lookups.push(...accounts);
          const trees = TREES.filter(({ tree, queue }) =>
            accounts.some((key) => key.equals(tree) || key.equals(queue)),
          );
          return Promise.resolve({ trees, unread: [], slot });
        },
      };
      await run({ trees: new TreeRegistry([], treeSource) });
      const found = new Set(bus.slots.flatMap(({ trees }) => trees));
      expect(found.size).toBe(TREES.length);
      expect(lookups).toHaveLength(TREES.length);
    });

    it('preloaded trees with the first slot', async () => {
      const [preloaded] = TREES;
      const treeSource: TreeSource = {
        listTrees: () => Promise.resolve([]),
        findTrees: ({ accounts, minContextSlot: slot }) => {
          const trees = accounts.some((key) => key.equals(preloaded.tree)) ? [preloaded] : [];
          return Promise.resolve({ trees, unread: [], slot });
        },
      };
      const options = { preloadedTrees: [preloaded.tree, ZERO_PUBKEY] };
      await run({ trees: new TreeRegistry([], treeSource), options });
      const first: TreeInfo[] = bus.slots[0].trees;
      expect(first).toContain(preloaded);
    });
  });

  describe('resumes', () => {
    it('after the last published block, and announces all trees again', async () => {
      const at = BLOCKS[10];
      const chains: string[] = [];
      const source = new PlayedBlocks(BLOCKS);
      const find = (chain: string) => {
        chains.push(chain);
        return Promise.resolve({ ...NOTHING_PUBLISHED, published: [{ slot: at.slot, blockhash: at.blockhash }] });
      };
      await run({ source, find });
      expect(chains).toEqual(['a chain']);
      expect(source.resumedAfter).toEqual([{ slot: at.slot, blockhash: at.blockhash }]);
      expect(bus.slots.map(({ slot }) => slot)).toEqual(SLOTS.slice(11));
      expect(bus.slots.map(({ isFirst }) => isFirst)).not.toContain(true);
      expect(bus.slots[0].trees).toEqual(TREES);
    });

    it('not at all if consumers store another chain', async () => {
      const find = () => Promise.reject(new Error('another chain'));
      await expect(run({ find })).rejects.toThrow('another chain');
      expect(bus.published).toEqual([]);
    });
  });

  it('counts what it has read, and reports its progress', async () => {
    const registry = new Registry();
    const progress = new Progress({ terminal: null, intervalMs: 1 }, captureLog().logger);
    const advance = jest.spyOn(progress, 'advance');
    const source = new PlayedBlocks(BLOCKS);
    source.tip = TIP;
    await run({ source, registry, progress });
    const steps = BLOCKS.map(({ slot, transactionCount }) => ({
      slot,
      transactions: transactionCount,
      isHistory: false,
    }));
    expect(advance.mock.calls).toEqual(steps.map((step) => [step, TIP.slot]));
    const sumOf = async (name: string) =>
      (await registry.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0);
    const transactions = LEDGER.flatMap(({ facts }) => facts.transactions);
    expect(await sumOf('fresnel_ingest_blocks_total')).toBe(BLOCKS.length);
    expect(await sumOf('fresnel_ingest_transactions_total')).toBe(transactions.length);
    expect(await sumOf('fresnel_ingest_events_total')).toBe(transactions.flatMap(({ events }) => events).length);
    expect(await sumOf('fresnel_ingest_slot')).toBe(SLOTS.at(-1));
    expect(await sumOf('fresnel_ingest_watermark_slot')).toBe(bus.ofKind('watermark').at(-1)?.slot);
  });
});
