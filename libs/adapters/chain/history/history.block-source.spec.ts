import { type BlockRef, isAnchor, isSparse, sparseBlock } from '@fresnel/domain/chain';
import { type Block, type BlockTransaction, LIVE_PROGRAMS } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, blockLinkAt, isLinkedTo, range } from '@fresnel/testing/chain';
import { useTime } from '@fresnel/platform/time';
import { captureLog, ManualTime } from '@fresnel/testing/generic';
import { PlayedBlocks } from '@fresnel/testing/ingest';
import { testSignature } from '@fresnel/testing/slots';
import { ForkError, MissingHistoryError } from '../block-source';
import { FinalizedBranch } from '../finalized-branch';
import { RpcUnavailableError } from '../solana-rpc';
import { HistoryBlockSource, type HistoryOptions } from './history.block-source';
import { type StoredHistory } from './stored-history';
import { type HistoryPage, HistoryRefusedError, type HistorySource, type SlotRange } from './history-source';

const TIP = 60;

/** A block at each slot, with a transaction every seven slots. */
const BLOCKS = range(0, TIP).map((slot): Block => ({
  ...blockLinkAt(slot),
  blockTime: 1_000 + slot,
  blockHeight: slot,
  transactionCount: 1,
  transactions: slot % 7 === 0 ? [{ index: 3, json: `{"slot":${slot}}` }] : [],
  signatures: null,
}));

/** Pages of ten slots, unless it says otherwise. */
class PagesOfTen implements HistorySource {
  pageSlots = 10;
  readonly name = 'pages';
  readonly usage = { calls: 0, bytes: 0 };
  readonly hasBytes = true;
  hasLinks = false;
  readonly requested: string[] = [];
  /** A slot whose transactions it lacks. */
  withheld: number | null = null;
  /** The transaction of the later of these slots is that of the other one. */
  repeated: [number, number] | null = null;

  count = () => Promise.resolve(0);

  async *read({ from, to }: SlotRange): AsyncIterable<HistoryPage> {
    this.requested.push(`${from}-${to}`);
    for (let start: number = from; start <= to; start += this.pageSlots) {
      const end = Math.min(start + this.pageSlots - 1, to);
      const found = BLOCKS.slice(start, end + 1).filter(({ transactions }) => transactions.length > 0);
      await Promise.resolve();
      yield {
        ...{ from: toSlot(start), to: toSlot(end), holes: [] },
        slots: found
          .filter(({ slot }) => slot !== this.withheld)
          .map(({ slot, transactions }) => ({
            slot,
            blockTime: slot === 14 ? null : 1_000 + slot,
            transactions: named(this.repeated?.[1] === slot ? this.repeated[0] : slot, transactions),
            link: this.hasLinks ? BLOCKS[slot] : null,
          })),
      };
    }
  }
}

const named = (slot: number, transactions: readonly BlockTransaction[]) =>
  transactions.map((transaction) => ({ ...transaction, signature: testSignature(slot) }));

class Stored implements StoredHistory {
  anchor: BlockRef | null = null;
  newest: BlockRef | null = null;
  time: number | null = null;

  findAnchor = () => Promise.resolve(this.anchor);
  findNewestBlock = () => Promise.resolve(this.newest);
  findBlockTime = () => Promise.resolve(this.time);
  decideAnchor = (anchor: BlockRef, instead: BlockRef | null) => {
    if ((this.anchor?.slot ?? null) === (instead?.slot ?? null)) this.anchor = anchor;
    return Promise.resolve(this.anchor ?? anchor);
  };
}

async function collect(blocks: AsyncIterable<Block>): Promise<Block[]> {
  const collected: Block[] = [];
  for await (const block of blocks) collected.push(block);
  return collected;
}

const OPTIONS: HistoryOptions = {
  accountCompression: LIVE_PROGRAMS.accountCompression,
  startSlot: toSlot(5),
  anchorDistance: 20,
  partSlots: 15,
  concurrency: 2,
  maxWaitingBytes: 1_000,
};

describe('a history source before a node', () => {
  const never = new AbortController().signal;
  let history: PagesOfTen;
  let other: PagesOfTen;
  let node: PlayedBlocks;
  let stored: Stored;
  beforeEach(() => {
    [history, other] = [new PagesOfTen(), new PagesOfTen()];
    [node, stored] = [new PlayedBlocks(BLOCKS), new Stored()];
  });
  const open = (options: Partial<HistoryOptions> = {}) =>
    new HistoryBlockSource([history, other], node, stored, { ...OPTIONS, ...options }, captureLog().logger);
  const readAll = (after: BlockRef | null, options: Partial<HistoryOptions> = {}) =>
    collect(open(options).blocks(after, never));
  const slotsOf = (blocks: readonly Block[]) => blocks.map(({ slot }) => Number(slot));

  it('gives sparse blocks up to the anchor, and those of the node after it, without a gap', async () => {
    const blocks = await readAll(null);
    // 14 and 29 are ends of parts. 40 is the tip less the distance.
    expect(slotsOf(blocks)).toEqual([7, 14, 21, 28, 29, 35, 40, ...range(41, TIP)]);
    expect(blocks.filter(isSparse).length).toBe(6);
    expect(slotsOf(blocks.filter(isAnchor))).toEqual([40]);
    expect(stored.anchor).toEqual({ slot: 40, blockhash: blockhashAt(40) });
    let last: BlockRef = sparseBlock(toSlot(4));
    for (const block of blocks) {
      expect(isLinkedTo(block, last)).toBe(true);
      last = block;
    }
  });

  const attestedBy = (blocks: readonly Block[]) =>
    blocks.flatMap(({ slot, attested }) => (attested ? [[attested.from, slot, attested.transactions]] : []));

  it('attests each part, with its transactions', async () => {
    expect(attestedBy(await readAll(null))).toEqual([
      [5, 14, 2],
      [15, 29, 2],
      [30, 40, 1],
    ]);
  });

  it('gives the same blocks and ranges after a kill at any block, whatever pages the source gives then', async () => {
    const all = await readAll(null);
    for (let given = 1; given <= all.length; given++) {
      [stored, history] = [new Stored(), new PagesOfTen()];
      const blocks: Block[] = [];
      for await (const block of open().blocks(null, never)) if (blocks.push(block) === given) break;
      history.pageSlots = 1 + (given % 8);
      stored.time = blocks[given - 1].blockTime;
      blocks.push(...(await readAll(blocks[given - 1])));
      expect(blocks).toEqual(all);
    }
  });

  it('gives a slot without a time that of the nearest earlier one', async () => {
    const times = new Map((await readAll(null)).map(({ slot, blockTime }) => [Number(slot), blockTime]));
    expect([7, 14, 21, 29].map((slot) => times.get(slot))).toEqual([1_007, 1_007, 1_021, 1_028]);
  });

  it('resumes after any sparse block, with the decided anchor', async () => {
    await readAll(null);
    stored.time = 1_021;
    node.tip = { slot: toSlot(1_000), seenAt: new Date() };
    const blocks = await readAll(sparseBlock(toSlot(21)));
    expect(slotsOf(blocks).slice(0, 4)).toEqual([28, 29, 35, 40]);
    expect(blocks[1]).toMatchObject({ blockTime: 1_028, attested: { from: 15, transactions: 2 } });
    expect(slotsOf(blocks.filter(isAnchor))).toEqual([40]);
    expect(slotsOf(blocks).at(-1)).toBe(TIP);
  });

  it('asks the node for blocks when what must happen at the anchor has happened', async () => {
    const order: string[] = [];
    const blocks = open({ onAnchor: () => Promise.resolve(void order.push('anchor')) }).blocks(null, never);
    for await (const { slot } of blocks) order.push(slot <= TIP - 20 ? 'history' : 'node');
    expect(order.join()).toMatch(/^(history,)+anchor,(node,?)+$/);
    const refused = new Error('refused');
    const failing = open({ onAnchor: () => Promise.reject(refused) });
    await expect(collect(failing.blocks(null, never))).rejects.toBe(refused);
    await expect(collect(failing.blocks(BLOCKS[TIP - 10], never))).rejects.toBe(refused);
  });

  it('follows the node alone after the anchor, and if the index begins above it', async () => {
    expect(slotsOf(await readAll(BLOCKS[45]))).toEqual(range(46, TIP));
    expect((await readAll(null, { startSlot: toSlot(50) })).filter(isSparse)).toEqual([]);
    expect((await readAll(null, { anchorDistance: 100 })).filter(isSparse)).toEqual([]);
    expect(history.requested).toEqual([]);
  });

  describe('that ends at a block of its own', () => {
    const { slot, blockhash } = BLOCKS[30];
    beforeEach(() => {
      const anchor = { slot, blockhash };
      Object.assign(history, {
        findExtent: async () => ({ from: toSlot(0), anchor, genesisHash: await node.identify(never) }),
      });
    });

    it('is followed by the blocks of the node after that', async () => {
      const blocks = await readAll(null);
      expect(slotsOf(blocks.filter(isAnchor))).toEqual([30]);
      expect(slotsOf(blocks).at(-1)).toBe(TIP);
    });

    it('is refused before it is read, if the node does not have these any more', async () => {
      jest.spyOn(node, 'blocksFrom').mockImplementation(() => {
        throw new MissingHistoryError('the first available block is 45');
      });
      const reading = readAll(null);
      await expect(reading).rejects.toThrow(HistoryRefusedError);
      await expect(reading).rejects.toThrow(/ends at slot 30, .*Use a newer snapshot or a node with more history, or/);
      expect(history.requested).toEqual([]);
    });

    it('is read by a node that is behind it', async () => {
      node.tip = { slot: toSlot(20), seenAt: new Date() };
      expect(slotsOf((await readAll(null)).filter(isAnchor))).toEqual([30]);
    });
  });

  it('finds single slots and later ones in both', async () => {
    await readAll(null);
    const source = open();
    expect(await source.findBlock(toSlot(21), never)).toMatchObject({ ...sparseBlock(toSlot(21)), parentSlot: 20 });
    expect(await source.findBlock(toSlot(22), never)).toBeNull();
    expect(await source.findBlock(toSlot(50), never)).toMatchObject({ blockhash: blockhashAt(50) });
    expect(slotsOf(await collect(source.blocksFrom(toSlot(33), never)))).toEqual([35, ...range(40, TIP)]);
  });

  it('reads slots again from all sources: what one lacks, another may have', async () => {
    await readAll(null);
    history.withheld = 21;
    expect((await open().findBlock(toSlot(21), never))?.transactions.length).toBe(1);
    const blocks = await collect(open().blocksFrom(toSlot(20), never));
    expect(slotsOf(blocks).slice(0, 2)).toEqual([21, 28]);
    expect(blocks.slice(0, 2).map(({ transactions }) => transactions.length)).toEqual([1, 1]);
  });

  it('reads stored slots again before the anchor is decided', async () => {
    stored.newest = sparseBlock(toSlot(28));
    expect(await open().findBlock(toSlot(21), never)).toMatchObject(sparseBlock(toSlot(21)));
    expect(slotsOf(await collect(open().blocksFrom(toSlot(20), never)))).toEqual([21, 28]);
    stored.newest = BLOCKS[28];
    expect(await open().findBlock(toSlot(21), never)).toEqual(BLOCKS[21]);
  });

  describe('that gives a transaction in two slots', () => {
    const problemsOf = (blocks: readonly Block[]) =>
      [21, 28].map((wanted) => blocks.find(({ slot }) => slot === wanted)?.transactions.map(({ problem }) => problem));
    beforeEach(() => (history.repeated = [21, 28]));

    it.each([
      ['keeps it where a source with links has a block', true, [[], [undefined]]],
      ['marks it in both without such a source', false, [[expect.any(String)], [expect.any(String)]]],
    ])('%s', async (_, hasLinks, expected) => {
      Object.assign(other, { hasLinks, withheld: 21, repeated: [21, 28] });
      expect(problemsOf(await readAll(null))).toEqual(expected);
      const again = [await open().findBlock(toSlot(21), never), await open().findBlock(toSlot(28), never)];
      expect(problemsOf(again.filter((block) => block !== null))).toEqual(expected);
    });

    it.each([
      ['drops the one before the anchor if the node has a block at the other', null, []],
      ['keeps it if the node has none there', () => Promise.resolve(null), [undefined]],
      [
        'marks it while the node does not answer',
        () => Promise.reject(new RpcUnavailableError('away')),
        [expect.stringContaining('slot 42')],
      ],
    ])('on both sides of the anchor: %s', async (_, answer, expected) => {
      history.repeated = [35, 42];
      if (answer) jest.spyOn(node, 'findBlock').mockImplementation(answer);
      const blocks = await readAll(null);
      const before = blocks.find(({ slot }) => slot === 35);
      expect(before?.transactions.map(({ problem }) => problem)).toEqual(expected);
    });

    it('decides the same after it resumes between them', async () => {
      await readAll(null);
      const blocks = await readAll(sparseBlock(toSlot(24)));
      expect(problemsOf(blocks)).toEqual([undefined, [expect.stringContaining('slot 21')]]);
    });
  });

  it('asks for the tip at intervals while it reads history', async () => {
    const time = new ManualTime();
    const restoreTime = useTime(time);
    const findTip = jest.spyOn(node, 'findTip');
    for await (const block of open().blocks(sparseBlock(toSlot(6)), never)) {
      if (block.slot >= 40) break;
      time.advance(2_000);
    }
    restoreTime();
    // Twice for the anchor, which is decided after the first part; with the first page of both ranges; and 6 seconds later.
    expect(findTip).toHaveBeenCalledTimes(5);
  });

  it('ends when the signal aborts while it waits for a page', async () => {
    const end = new AbortController();
    jest.spyOn(history, 'read').mockImplementation(async function* () {
      yield* [];
      end.abort();
      await Promise.resolve();
      end.signal.throwIfAborted();
    });
    expect(await collect(open().blocks(null, end.signal))).toEqual([]);
  });

  it('knows nothing of branches before the anchor', async () => {
    const question = { known: [sparseBlock(toSlot(14))], upTo: toSlot(20) };
    await expect(open().readFinalized(question, never)).rejects.toMatchObject({ code: 'unproven-branch' });
  });

  it('replaces an anchor that is not on the chain', async () => {
    const wrong = { slot: toSlot(40), blockhash: blockhashAt(40, 'wrong') };
    stored.anchor = wrong;
    jest.spyOn(node, 'readFinalized').mockRejectedValue(new ForkError('no known block is on the chain'));
    const question = { known: [sparseBlock(toSlot(35)), wrong], upTo: toSlot(45) };
    const branch = await open().readFinalized(question, never);
    expect(branch).toEqual(
      new FinalizedBranch(sparseBlock(toSlot(35)), [
        {
          slot: toSlot(40),
          blockhash: blockhashAt(40),
          parentSlot: toSlot(35),
          parentBlockhash: sparseBlock(toSlot(35)).blockhash,
        },
      ]),
    );
    expect(branch.excludes(wrong)).toBe(true);
    expect(stored.anchor).toEqual({ slot: 40, blockhash: blockhashAt(40) });
  });
});
