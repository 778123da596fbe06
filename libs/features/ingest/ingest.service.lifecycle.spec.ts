import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, InMemoryBus } from '@fresnel/adapters/bus';
import { type ChainTip, ForkError, MissingHistoryError, type TreeLookup } from '@fresnel/adapters/chain';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { JsonCursor, parseBlock } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import {
  createTestIngest,
  PlayedBlocks,
  RecordingBus,
  type TestIngestParts,
  rejectOnAbort,
} from '@fresnel/testing/ingest';
import { TreeRegistry } from './tree-registry';

const LEDGER = [...generateLedger({ seed: 42, slots: 12 })];
const BLOCKS = LEDGER.map(({ slot, json }) => parseBlock(new JsonCursor(json), toSlot(slot)));
const SLOTS = BLOCKS.map(({ slot }) => slot);
const TIP: ChainTip = { slot: toSlot(9_999), seenAt: new Date(1_700_000_000_000) };

describe('IngestService', () => {
  let recorded: RecordingBus;
  let stop: AbortController;
  beforeEach(() => {
    recorded = new RecordingBus();
    stop = new AbortController();
  });

  function run(parts: Partial<TestIngestParts> & Pick<TestIngestParts, 'source'>): Promise<void> {
    return createTestIngest({ bus: recorded, ...parts }).run(stop.signal);
  }

  describe('publishes the chain tip', () => {
    it('after every slot, once the tip is known', async () => {
      const source = new PlayedBlocks(BLOCKS);
      source.tip = TIP;
      await run({ source });
      const messages = recorded.published.filter((message) => message.kind === 'tip' || message.kind === 'slot');
      expect(messages.filter((_, at) => at % 2 === 0).every((message) => message.kind === 'slot')).toBe(true);
      expect(messages.filter((_, at) => at % 2 === 1)).toEqual(SLOTS.map(() => ({ kind: 'tip', ...TIP })));
    });

    it('while no block arrives', async () => {
      const source = new PlayedBlocks([], rejectOnAbort);
      const running = run({ source, options: { tipIntervalMs: 2 } });
      await sleep(20);
      expect(recorded.ofKind('tip')).toEqual([]);
      source.tip = TIP;
      while (recorded.ofKind('tip').length < 3) await sleep(1);
      stop.abort();
      await running;
      for (const tip of recorded.ofKind('tip')) expect(tip).toEqual({ kind: 'tip', ...TIP });
      expect(recorded.slots).toEqual([]);
    });

    it('as the source has it now, while ingest waits for consumers', async () => {
      const source = new PlayedBlocks(BLOCKS, rejectOnAbort);
      jest.spyOn(recorded, 'findLag').mockResolvedValue(9);
      jest.spyOn(source, 'findTip').mockImplementation(() => {
        source.tip = TIP;
        return Promise.resolve(TIP.slot);
      });
      const backpressure = { maxLag: 5, intervalMs: 1 };
      const running = run({ source, options: { tipIntervalMs: 2, backpressure } });
      while (recorded.ofKind('tip').length < 3) await sleep(1);
      stop.abort();
      await running;
      expect(recorded.ofKind('tip')[0]).toEqual({ kind: 'tip', ...TIP });
      expect(recorded.slots).toEqual([]);
    });

    it('no longer once the source has ended', async () => {
      const source = new PlayedBlocks(BLOCKS);
      source.tip = TIP;
      await run({ source, options: { tipIntervalMs: 2 } });
      const { length } = recorded.ofKind('tip');
      await sleep(20);
      expect(recorded.ofKind('tip')).toHaveLength(length);
    });
  });

  describe('stops without an error when aborted', () => {
    const quiet = () => new PlayedBlocks([], rejectOnAbort);
    const listNothing = () => Promise.resolve([]);
    const findNothing = ({ minContextSlot: slot }: TreeLookup) => Promise.resolve({ trees: [], unread: [], slot });
    const parts: [string, () => Pick<TestIngestParts, 'source'> & Partial<TestIngestParts>][] = [
      ['while it identifies the chain', () => ({ source: Object.assign(quiet(), { identify: rejectOnAbort }) })],
      ['while it looks for the resume point', () => ({ source: quiet(), find: () => rejectOnAbort(stop.signal) })],
      [
        'while it loads trees',
        () => ({
          source: quiet(),
          trees: new TreeRegistry([], { listTrees: (_, signal) => rejectOnAbort(signal), findTrees: findNothing }),
        }),
      ],
      [
        'while it looks up a tree that a block names',
        () => ({
          source: new PlayedBlocks(BLOCKS),
          trees: new TreeRegistry([], { listTrees: listNothing, findTrees: (_, signal) => rejectOnAbort(signal) }),
        }),
      ],
      ['while no block arrives', () => ({ source: quiet() })],
      ['while the bus is full', () => ({ source: new PlayedBlocks(BLOCKS), bus: new InMemoryBus({ capacity: 2 }) })],
    ];
    it.each(parts)('%s', async (_, create) => {
      const running = run(create());
      await sleep(5);
      stop.abort();
      await expect(running).resolves.toBeUndefined();
    });

    it('before it starts', async () => {
      stop.abort();
      await expect(run({ source: new PlayedBlocks(BLOCKS) })).resolves.toBeUndefined();
      expect(recorded.published).toEqual([]);
    });
  });

  describe('fails', () => {
    it.each([
      ['a fork', new ForkError('the chain forked')],
      ['missing blocks', new MissingHistoryError('blocks are gone')],
    ])('with the error of its source: %s', async (_, error) => {
      const source = new PlayedBlocks(BLOCKS.slice(0, 3), () => Promise.reject(error));
      source.tip = TIP;
      await expect(run({ source, options: { tipIntervalMs: 1 } })).rejects.toBe(error);
      expect(recorded.slots.map(({ slot }) => slot)).toEqual(SLOTS.slice(0, 3));
    });

    it.each([
      ['a slot', SLOT_EVENTS.name, BLOCKS],
      ['trees', TREE_UPDATES.name, BLOCKS],
      ['the tip while no block arrives', SLOT_EVENTS.name, []],
    ])('when publishing fails for %s', async (_, name, blocks) => {
      const source = new PlayedBlocks(blocks, rejectOnAbort);
      source.tip = TIP;
      const bus: Bus = {
        publish: (topic) => (topic.name === name ? Promise.reject(new Error('no bus')) : Promise.resolve()),
        consume: () => Promise.resolve(),
        waitUntilApplied: () => Promise.resolve(),
        findLag: () => Promise.resolve(0),
      };
      await expect(run({ source, bus, options: { tipIntervalMs: 1 } })).rejects.toThrow('no bus');
    });
  });
});
