import { type FoundTrees, MissingHistoryError, type TreeLookup, type TreeSource } from '@fresnel/adapters/chain';
import { type DueLetters, type StoredDeadLetter } from '@fresnel/adapters/store-write';
import { LIVE_PROGRAMS, JsonCursor, parseBlock, TransactionParser } from '@fresnel/domain/events';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { foldTreeChanges, type SlotEvents } from '@fresnel/domain/state';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { Registry } from '@fresnel/platform';
import { captureLog, eventually } from '@fresnel/testing/generic';
import { PlayedBlocks, RecordingBus } from '@fresnel/testing/ingest';
import { createDeadLetterMetrics } from './dead-letter.metrics';
import { DeadLetterParser, ONE_LOOKUP } from './dead-letter.parser';
import { DeadLetterRetrier } from './dead-letter.retrier';
import { createReadMetrics } from '../read/read.metrics';
import { SlotReader } from '../read/slot.reader';
import { TreeRegistry } from '../read/tree-registry';

const BLOCKS = [...generateLedger({ seed: 11, slots: 50 })].map(({ slot, json }) =>
  parseBlock(new JsonCursor(json), toSlot(slot)),
);
const TIP = BLOCKS[BLOCKS.length - 1].slot;
const parser = new TransactionParser(LIVE_PROGRAMS);

/** A node that can return accounts or not. */
class SwitchedTrees implements TreeSource {
  isReadable = false;

  listTrees(): Promise<never[]> {
    return Promise.resolve([]);
  }

  findTrees({ accounts, minContextSlot: slot }: TreeLookup): Promise<FoundTrees> {
    if (!this.isReadable) {
      return Promise.resolve({ trees: [], unread: accounts.map((account) => ({ account, reason: 'HTTP 502' })), slot });
    }
    const trees = generatedTrees().filter(({ tree, queue }) =>
      accounts.some((account) => account.equals(tree) || account.equals(queue)),
    );
    return Promise.resolve({ trees, unread: [], slot });
  }
}

describe('the retry of dead letters', () => {
  let trees: SwitchedTrees;
  let bus: RecordingBus;
  let registry: Registry;
  let stop: AbortController;
  let stored: StoredDeadLetter[];
  let asked: DueLetters[];
  let requested: string[];
  let source: PlayedBlocks;
  let running: Promise<void>;
  beforeEach(async () => {
    [trees, bus, registry, stop, asked, requested] = [
      new SwitchedTrees(),
      new RecordingBus(),
      new Registry(),
      new AbortController(),
      [],
      [],
    ];
    source = new PlayedBlocks(BLOCKS);
    source.tip = { slot: TIP, seenAt: new Date() };
    const read = new SlotReader(new TreeRegistry([], trees), parser, createReadMetrics(new Registry()));
    const slots: SlotEvents[] = [];
    for (const block of BLOCKS.slice(0, 10)) slots.push(await read.read(block, stop.signal, ONE_LOOKUP));
    stored = slots.flatMap(({ slot, deadLetters }) => deadLetters.map((letter) => ({ ...letter, slot })));
    expect(stored.length).toBeGreaterThan(3);
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  /** Runs until `attempts` letters were retried. Each interval takes all stored dead letters. */
  async function retry(letters: StoredDeadLetter[], attempts = letters.length): Promise<Record<string, number>> {
    const metrics = createDeadLetterMetrics(registry);
    const reader = new SlotReader(new TreeRegistry([], trees), parser, createReadMetrics(registry));
    const store = {
      count: () => Promise.resolve(letters.length),
      takeDue: (due: DueLetters) => {
        asked.push(due);
        return Promise.resolve(letters);
      },
    };
    const retrier = new DeadLetterRetrier(
      {
        letters: store,
        source,
        bus,
        letterParser: new DeadLetterParser(reader, LIVE_PROGRAMS.compressedToken),
        slotReader: reader,
        logger: captureLog().logger,
        metrics,
        republications: {
          request: (changed, fromSlot) => {
            // The slot is published after the request, so that a crash does not lose it.
            expect(bus.slots.map(({ slot }) => slot)).not.toContain(fromSlot);
            requested.push(...changed.map((tree) => `${toBase58(tree)} ${fromSlot}`));
            return Promise.resolve();
          },
        },
      },
      { intervalMs: 60_000, firstPauseMs: 1_000, maxPauseMs: 8_000 },
    );
    running = retrier.run(stop.signal);
    const outcomes = async (): Promise<Record<string, number>> => {
      const { values } = await metrics.retries.get();
      return Object.fromEntries(values.map(({ labels, value }) => [String(labels.outcome), value]));
    };
    const sum = async () => Object.values(await outcomes()).reduce((one, other) => one + other, 0);
    await eventually('all are retried', async () => (await sum()) >= attempts);
    return outcomes();
  }

  it('publishes nothing while a tree cannot be read', async () => {
    expect(await retry(stored)).toEqual({ published: 0, unchanged: stored.length, failed: 0 });
    expect([bus.published, requested]).toEqual([[], []]);
  });

  it('publishes each slot once, complete, when its trees can be read, and requests the operations of its address trees', async () => {
    trees.isReadable = true;
    expect(await retry(stored)).toEqual({ published: stored.length, unchanged: 0, failed: 0 });
    expect(bus.slots.map(({ slot }) => slot)).toEqual([...new Set(stored.map(({ slot }) => slot))]);
    expect(bus.slots.every(({ deadLetters, trees: named }) => deadLetters.length === 0 && named.length > 0)).toBe(true);
    const changed = bus.slots.flatMap((events) => foldTreeChanges(events).filter(({ changes }) => changes.length > 0));
    expect(requested).toEqual(changed.map(({ tree, slot }) => `${toBase58(tree.tree)} ${slot}`));
    expect(requested.length).toBeGreaterThan(0);
  });

  describe('whose place in history is unknown', () => {
    const letter = () => ({ ...stored[0], reasons: ['order-unknown: equal indexes'] });
    beforeEach(() => (trees.isReadable = true));

    it('publishes the slot when a source knows it', async () => {
      expect(await retry([letter()])).toEqual({ published: 1, unchanged: 0, failed: 0 });
      expect(bus.slots.map(({ slot, deadLetters }) => [slot, deadLetters])).toEqual([[stored[0].slot, []]]);
    });

    it('publishes nothing while no source knows it, although the text can be read', async () => {
      const { slot, index, reasons, json } = letter();
      const same = { ...stored[0], slot, index, reasons, json };
      jest.spyOn(SlotReader.prototype, 'read').mockResolvedValue({ deadLetters: [same] } as unknown as SlotEvents);
      expect(await retry([letter()])).toEqual({ published: 0, unchanged: 1, failed: 0 });
      jest.restoreAllMocks();
    });
  });

  describe.each<[string, (json: string) => string]>([
    ['left out a part', (json) => JSON.stringify({ ...JSON.parse(json), meta: null })],
    ['cut off the end', (json) => json.replace(/.{40}","base64"\]/, '","base64"]')],
    ['named an instruction that there is not', (json) => json.replace(/"index":\d+/, '"index":99')],
  ])('of which the node had %s', (_, spoil) => {
    const letter = () => {
      const json = spoil(stored[0].json);
      return { ...stored[0], json, reasons: parser.parse(json)?.problems ?? [] };
    };
    beforeEach(() => (trees.isReadable = true));

    it('publishes the slot when the node has the whole block', async () => {
      expect(letter().reasons).toEqual([expect.stringMatching(/^transaction: /)]);
      expect(await retry([letter()])).toEqual({ published: 1, unchanged: 0, failed: 0 });
      expect(bus.slots.map(({ slot, deadLetters }) => [slot, deadLetters])).toEqual([[stored[0].slot, []]]);
    });

    it('publishes nothing while the node still gives the same', async () => {
      source = new PlayedBlocks(
        BLOCKS.map((block) => ({
          ...block,
          transactions: block.transactions.map(({ index, json }) => ({ index, json: spoil(json) })),
        })),
      );
      source.tip = { slot: TIP, seenAt: new Date() };
      expect(await retry([letter()])).toEqual({ published: 0, unchanged: 1, failed: 0 });
      expect(bus.published).toEqual([]);
    });
  });

  it('continues with other slots if the node lacks a block', async () => {
    trees.isReadable = true;
    const [{ slot: lost }] = stored;
    const find = source.findBlock.bind(source);
    jest
      .spyOn(source, 'findBlock')
      .mockImplementation((slot) =>
        slot === lost ? Promise.reject(new MissingHistoryError('cleaned up')) : find(slot),
      );
    const outcomes = await retry(stored);
    const failed = stored.filter(({ slot }) => slot === lost).length;
    expect(outcomes).toEqual({ published: stored.length - failed, unchanged: 0, failed });
  });

  it('takes only those of final blocks, and reports how many there are', async () => {
    await retry(stored);
    expect(asked).toEqual([{ limit: 32, maxSlot: TIP - 32, firstPauseMs: 1_000, maxPauseMs: 8_000 }]);
    await eventually('the gauge is set', async () =>
      (await registry.metrics()).includes(`\nfresnel_dead_letters ${stored.length}\n`),
    );
  });
});
