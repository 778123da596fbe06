import { type Bus, InMemoryBus } from '@fresnel/adapters/bus';
import { type ChainTip, ForkError, MissingHistoryError, type TreeLookup } from '@fresnel/adapters/chain';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { JsonCursor, parseBlock } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { useTime } from '@fresnel/platform/time';
import { generateLedger } from '@fresnel/ledger-generator';
import { ManualTime, until } from '@fresnel/testing/generic';
import {
  createTestIngest,
  PlayedBlocks,
  RecordingBus,
  type TestIngestParts,
  rejectOnAbort,
} from '@fresnel/testing/ingest';
import { TreeRegistry } from '../read/tree-registry';

const LEDGER = [...generateLedger({ seed: 42, slots: 12 })];
const BLOCKS = LEDGER.map(({ slot, json }) => parseBlock(new JsonCursor(json), toSlot(slot)));
const SLOTS = BLOCKS.map(({ slot }) => slot);
const TIP: ChainTip = { slot: toSlot(9_999), seenAt: new Date(1_700_000_000_000) };

describe('FollowService', () => {
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
      const time = new ManualTime();
      const restoreTime = useTime(time);
      const source = new PlayedBlocks([], rejectOnAbort);
      const running = run({ source, options: { tipIntervalMs: 1_000 } });
      /** Ends when the loop waits for the interval after the last one. */
      const passIntervals = async (count: number) => {
        for (let at = 0; at < count; at++) {
          time.advance(1_000);
          await until(() => time.pending > 0, [running]);
        }
      };
      await passIntervals(3);
      expect(recorded.ofKind('tip')).toEqual([]);
      source.tip = TIP;
      await passIntervals(3);
      expect(recorded.ofKind('tip')).toEqual(Array(3).fill({ kind: 'tip', ...TIP }));
      stop.abort();
      await running;
      restoreTime();
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
      await until(() => recorded.ofKind('tip').length >= 3, [running]);
      stop.abort();
      await running;
      expect(recorded.ofKind('tip')[0]).toEqual({ kind: 'tip', ...TIP });
      expect(recorded.slots).toEqual([]);
    });

    it('no longer once the source has ended', async () => {
      const time = new ManualTime();
      const restoreTime = useTime(time);
      const source = new PlayedBlocks(BLOCKS);
      source.tip = TIP;
      await run({ source });
      expect(time.pending).toBe(0);
      restoreTime();
    });
  });

  describe('stops without an error when aborted', () => {
    let hasArrived = false;
    beforeEach(() => (hasArrived = false));
    /** Where the ingest waits until it is aborted. */
    const wait = (signal: AbortSignal) => {
      hasArrived = true;
      return rejectOnAbort(signal);
    };
    const quiet = () => new PlayedBlocks([], wait);
    const listNothing = () => Promise.resolve([]);
    const findNothing = ({ minContextSlot: slot }: TreeLookup) => Promise.resolve({ trees: [], unread: [], slot });
    const parts: [string, () => Pick<TestIngestParts, 'source'> & Partial<TestIngestParts>][] = [
      ['while it identifies the chain', () => ({ source: Object.assign(quiet(), { identify: wait }) })],
      ['while it looks for the resume point', () => ({ source: quiet(), find: () => wait(stop.signal) })],
      [
        'while it loads trees',
        () => ({
          source: quiet(),
          trees: new TreeRegistry([], { listTrees: (_, signal) => wait(signal), findTrees: findNothing }),
        }),
      ],
      [
        'while it looks up a tree that a block names',
        () => ({
          source: new PlayedBlocks(BLOCKS),
          trees: new TreeRegistry([], { listTrees: listNothing, findTrees: (_, signal) => wait(signal) }),
        }),
      ],
      ['while no block arrives', () => ({ source: quiet() })],
      [
        'while the bus is full',
        () => ({
          source: new PlayedBlocks(BLOCKS),
          bus: Object.assign(new InMemoryBus(), {
            publish: (_: unknown, __: unknown, signal: AbortSignal) => wait(signal),
          }),
        }),
      ],
    ];
    it.each(parts)('%s', async (_, create) => {
      const running = run(create());
      await until(() => hasArrived, [running]);
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
