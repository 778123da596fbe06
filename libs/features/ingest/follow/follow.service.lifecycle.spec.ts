import { type Bus, InMemoryBus } from '@fresnel/adapters/bus';
import { type ChainTip, ForkError, MissingHistoryError, type TreeLookup } from '@fresnel/adapters/chain';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { JsonCursor, parseBlock } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { Watchdog } from '@fresnel/platform';
import { useTime } from '@fresnel/platform/time';
import { generateLedger } from '@fresnel/ledger-generator';
import { type LogLine, ManualTime, until } from '@fresnel/testing/generic';
import {
  createTestIngest,
  PlayedBlocks,
  RecordingBus,
  type TestIngestParts,
  rejectOnAbort,
} from '@fresnel/testing/ingest';
import { TreeRegistry } from '../read/tree-registry';
import { NOTHING_PUBLISHED } from './resume-point';

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

    it('as the source has it now, while ingest pauses', async () => {
      const source = new PlayedBlocks(BLOCKS);
      const findTip = jest.spyOn(source, 'findTip').mockImplementation(() => {
        source.tip = TIP;
        return Promise.resolve(TIP.slot);
      });
      const running = run({ source, options: { tipIntervalMs: 2, pauseSlot: SLOTS[0] } });
      await until(() => recorded.ofKind('tip').length >= 3, [running]);
      stop.abort();
      await running;
      expect(recorded.ofKind('tip')[0]).toEqual({ kind: 'tip', ...TIP });
      expect(findTip).toHaveBeenCalled();
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

  describe('pauses', () => {
    /** Waits until it pauses, and longer. */
    async function pausedAt(pauseSlot: number, parts: Partial<TestIngestParts> = {}): Promise<number[]> {
      const lines: LogLine[] = [];
      const options = { pauseSlot: toSlot(pauseSlot), tipIntervalMs: 1 };
      const source = new PlayedBlocks(BLOCKS, rejectOnAbort);
      source.tip = TIP;
      const running = run({ source, lines, options, ...parts });
      await until(() => lines.some(({ msg }) => msg === 'ingest pauses'), [running]);
      const tips = recorded.ofKind('tip').length;
      await until(() => recorded.ofKind('tip').length > tips + 2, [running]);
      stop.abort();
      await running;
      return recorded.slots.map(({ slot }) => slot);
    }
    const resumeAfter = (at: number) => () => {
      const published = BLOCKS.slice(0, at + 1).map(({ slot, blockhash }) => ({ slot, blockhash }));
      return Promise.resolve({ ...NOTHING_PUBLISHED, published });
    };

    it('after the block of its pause slot', async () => {
      expect(await pausedAt(SLOTS[4])).toEqual(SLOTS.slice(0, 5));
    });

    it('after the next block if the slot has none', async () => {
      const without = BLOCKS.filter((_, at) => at !== 4);
      const source = new PlayedBlocks(without, rejectOnAbort);
      source.tip = TIP;
      expect(await pausedAt(SLOTS[4], { source })).toEqual([...SLOTS.slice(0, 4), SLOTS[5]]);
    });

    it('where it was before a restart, and publishes nothing', async () => {
      expect(await pausedAt(SLOTS[4], { find: resumeAfter(4) })).toEqual([]);
    });

    it('at once if it has published more before', async () => {
      expect(await pausedAt(SLOTS[4], { find: resumeAfter(6) })).toEqual([]);
    });

    it('and is not stuck', async () => {
      const time = new ManualTime();
      const restoreTime = useTime(time);
      const watchdog = new Watchdog();
      const lines: LogLine[] = [];
      const source = new PlayedBlocks(BLOCKS, rejectOnAbort);
      const running = createTestIngest({ bus: recorded, source, lines, options: { pauseSlot: SLOTS[0] } }).run(
        stop.signal,
        watchdog,
      );
      await until(() => lines.some(({ msg }) => msg === 'ingest pauses'), [running]);
      time.advance(3_600_000);
      const stuck = watchdog.findStuck();
      stop.abort();
      await running;
      restoreTime();
      expect(stuck.join()).not.toContain('The publication of blocks');
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
