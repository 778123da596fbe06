import {
  type AttestedRange,
  type BlockLink,
  type BlockRef,
  type Commitment,
  isSameBlock,
  isSparse,
  sparseBlock,
} from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { type BlockSource, type ChainTip, ForkError } from '../block-source';
import { type BranchQuestion, FinalizedBranch, UnprovenBranchError } from '../finalized-branch';
import { PUBLIC_CLUSTERS } from '../clusters';
import { type HistoryPage, type HistorySlot, type HistorySource, type SlotRange } from './history-source';
import { mergePages } from './merge-pages';
import { readAhead, type ReadAheadOptions } from './read-ahead';
import { cutPages, decideRepeats, REPEAT_SLOTS } from './repeated-signatures';
import { type StoredHistory } from './stored-history';

export interface HistoryOptions extends ReadAheadOptions {
  /** The program whose transactions are read. */
  accountCompression: Pubkey;
  /** The first slot of a new index; null: the slot where ZK Compression starts on the cluster, else 0. */
  startSlot: Slot | null;
  /** How far the anchor is below the tip, at least. */
  anchorDistance: number;
}

/** Slots of a part, which one series of requests reads. On mainnet about a thousand transactions, which is one answer. */
export const HISTORY_PART_SLOTS = 10_000;
/** The anchor is decided before the last slots are requested, so that few blocks have to be fetched after it. */
const LAST_SLOTS = 10_000;
const TIP_INTERVAL_MS = 5_000;

/**
 * Delivers the past from a history source as sparse blocks, and then the blocks of the node from the anchor on.
 *
 * ```
 *   history   100 ····· 107 ·· 110 ······ 1,000        sparse blocks: slots with transactions, and the ends of pages
 *   anchor                                1,000        the same slot, with the blockhash that the node gives
 *   node                                    └── 1,001 ── 1,002 …
 * ```
 *
 * The anchor is a final block. It is decided once, in the database: every ingest of an index has the same.
 */
export class HistoryBlockSource implements BlockSource {
  /** Of the pages that were delivered. */
  private lastTime: number | null = null;

  constructor(
    /** The first one is read. When slots are read again, all are: what one lacks, another may have. */
    private readonly sources: readonly [HistorySource, ...HistorySource[]],
    private readonly node: BlockSource,
    private readonly stored: StoredHistory,
    private readonly options: HistoryOptions,
    private readonly logger: Logger,
  ) {}

  get tip(): ChainTip | null {
    return this.node.tip;
  }

  identify(signal: AbortSignal): Promise<string> {
    return this.node.identify(signal);
  }

  findTip(signal: AbortSignal): Promise<Slot> {
    return this.node.findTip(signal);
  }

  /** The first slot of a new index: the configured one, or that where ZK Compression starts on the cluster, else 0. */
  async findFirstSlot(signal: AbortSignal): Promise<Slot> {
    const { startSlot } = this.options;
    return startSlot ?? toSlot(PUBLIC_CLUSTERS.get(await this.identify(signal))?.firstSlot ?? 0);
  }

  findCommitment(): Promise<Commitment> {
    return this.node.findCommitment?.() ?? Promise.resolve('confirmed');
  }

  blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    return untilAborted(this.readAfter(after, signal), signal);
  }

  private async *readAfter(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    const isDense = after !== null && !isSparse(after);
    const anchor = isDense ? after : yield* this.backfill(after, signal);
    if (!signal.aborted) yield* this.node.blocks(anchor, signal);
  }

  blocksFrom(slot: Slot, signal: AbortSignal, about?: readonly Pubkey[]): AsyncIterable<Block> {
    return untilAborted(this.readFrom(slot, signal, about), signal);
  }

  private async *readFrom(slot: Slot, signal: AbortSignal, about?: readonly Pubkey[]): AsyncIterable<Block> {
    const end = await this.findEnd();
    if (end === null || slot > end.slot) {
      yield* this.node.blocksFrom(slot, signal);
      return;
    }
    const before = sparseBlock(toSlot(Math.max(slot - 1, 0)));
    const pages = this.readAgain({ from: slot, to: end.slot }, end, about, signal);
    const last = yield* this.toBlocks(before, end, pages);
    if (!isSparse(last) && !signal.aborted) yield* this.node.blocks(last, signal);
  }

  async findBlock(slot: Slot, signal: AbortSignal): Promise<Block | null> {
    const end = await this.findEnd();
    if (end === null || slot > end.slot) return this.node.findBlock(slot, signal);
    const parent = sparseBlock(toSlot(Math.max(slot - 1, 0)));
    for await (const { slots } of this.readAgain({ from: slot, to: slot }, end, undefined, signal)) {
      const found = slots.at(0);
      if (found) return this.toBlock(found, parent, end);
    }
    return null;
  }

  /**
   * Attested history has no branches. Only the anchor may turn out to be no block of the chain, if a node gave a wrong answer. Then the
   * block of the chain at its slot, or the next one, takes its place.
   */
  async readFinalized(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch> {
    const known = question.known.filter((block) => !isSparse(block));
    const oldest = known.at(0);
    if (!oldest) throw new UnprovenBranchError('history is not read up to the anchor yet', question.upTo, null);
    const anchor = await this.stored.findAnchor();
    try {
      return await this.node.readFinalized({ ...question, known }, signal);
    } catch (error) {
      const before = question.known.findLast(isSparse);
      if (!(error instanceof ForkError) || !anchor || !before || !isSameBlock(oldest, anchor)) throw error;
      const block = await this.findLinkedBlock(anchor.slot, signal);
      if (!block || isSameBlock(block, anchor)) throw error;
      const decided = await this.stored.decideAnchor(block, anchor);
      const values = { slot: anchor.slot, instead: decided.slot };
      this.logger.error(values, 'the anchor is no block of the chain: another one takes its place');
      const link = { ...decided, parentSlot: before.slot, parentBlockhash: before.blockhash };
      return new FinalizedBranch(before, [link]);
    }
  }

  /** @returns the last block: the anchor; null if the index starts after it, so that there is no past to read */
  private async *backfill(
    after: BlockRef | null,
    signal: AbortSignal,
  ): AsyncGenerator<Block, BlockRef | null, undefined> {
    const startSlot = await this.findFirstSlot(signal);
    let last = after ?? sparseBlock(toSlot(Math.max(startSlot - 1, 0)));
    this.lastTime = after && (await this.stored.findBlockTime(after));
    let anchor = await this.stored.findAnchor();
    while (!signal.aborted) {
      const end = anchor ?? (await this.findFinalBlock(signal));
      if (!end || (!after && end.slot < startSlot)) return null;
      if (!anchor && end.slot - last.slot <= LAST_SLOTS) {
        anchor = await this.stored.decideAnchor(end, null);
        this.logger.info({ slot: anchor.slot }, 'history is read up to this block of the node, the anchor');
        continue;
      }
      const to = anchor ? anchor.slot : toSlot(end.slot - LAST_SLOTS);
      last = yield* this.deliver(last, anchor, to, signal);
      if (anchor) break;
    }
    return last;
  }

  /** Delivers the slots after a block up to another one, and attests each page. @returns the last block */
  private async *deliver(
    after: BlockRef,
    anchor: BlockRef | null,
    to: Slot,
    signal: AbortSignal,
  ): AsyncGenerator<Block, BlockRef, undefined> {
    const [source] = this.sources;
    const { accountCompression } = this.options;
    const read = (part: SlotRange, end: AbortSignal) => source.read(part, [accountCompression], end);
    const range = { from: toSlot(after.slot + 1), to };
    const around = this.around(range, anchor);
    const pages = this.watchTip(this.decide(range, readAhead(around, read, this.options, signal), signal), signal);
    const attestedTo = await this.stored.findAttestedTo();
    return yield* this.toBlocks(after, anchor, pages, toSlot(Math.min(attestedTo ?? after.slot, after.slot) + 1));
  }

  /** Asks for the tip at intervals, because no block of the node is read meanwhile. */
  private async *watchTip(pages: AsyncIterable<HistoryPage>, signal: AbortSignal): AsyncIterable<HistoryPage> {
    let askedAt = -Infinity;
    for await (const page of pages) {
      if (now() - askedAt >= TIP_INTERVAL_MS) {
        await this.node.findTip(signal);
        askedAt = now();
      }
      yield page;
    }
  }

  /** Reads slots from all sources. What several have is taken from the first of them. */
  private readAgain(
    range: SlotRange,
    end: BlockRef,
    about: readonly Pubkey[] = [this.options.accountCompression],
    signal: AbortSignal,
  ): AsyncIterable<HistoryPage> {
    const around = this.around(range, end);
    const pages = mergePages(this.sources.toReversed().map((source) => source.read(around, about, signal)));
    return this.decide(range, pages, signal);
  }

  /** The slots that decide where the transactions of a range belong. @param end no further, if it is the anchor */
  private around({ from, to }: SlotRange, end: BlockRef | null): SlotRange {
    const last = end && !isSparse(end) ? end.slot : Infinity;
    return {
      from: toSlot(Math.max(from - REPEAT_SLOTS, this.options.startSlot ?? 0)),
      to: toSlot(Math.min(to + REPEAT_SLOTS, last)),
    };
  }

  private decide(range: SlotRange, pages: AsyncIterable<HistoryPage>, signal: AbortSignal): AsyncIterable<HistoryPage> {
    const hasBlock = (slot: Slot) => this.hasBlock(slot, signal);
    return cutPages(decideRepeats(pages, { hasBlock, logger: this.logger }), range);
  }

  /** Asks a source that has the links of blocks. @returns null if there is none */
  private async hasBlock(slot: Slot, signal: AbortSignal): Promise<boolean | null> {
    const source = this.sources.find(({ hasLinks }) => hasLinks);
    if (!source) return null;
    for await (const { slots } of source.read({ from: slot, to: slot }, [this.options.accountCompression], signal)) {
      if (slots.some(({ link }) => link?.slot === slot)) return true;
    }
    return false;
  }

  /**
   * Turns pages into blocks: the slots with transactions, and the ends of pages.
   *
   * @param attestFrom the first slot that the pages attest; absent: they do not attest any
   * @returns the last block
   */
  private async *toBlocks(
    after: BlockRef,
    anchor: BlockRef | null,
    pages: AsyncIterable<HistoryPage>,
    attestFrom?: Slot,
  ): AsyncGenerator<Block, BlockRef, undefined> {
    let last = after;
    let from = attestFrom;
    for await (const page of pages) {
      for (const slot of withEnd(page)) {
        const block = this.toBlock(slot, last, anchor);
        yield from !== undefined && slot.slot === page.to ? { ...block, attested: this.attest(from, page) } : block;
        last = { slot: block.slot, blockhash: block.blockhash };
      }
      if (from !== undefined) from = toSlot(page.to + 1);
    }
    return last;
  }

  private attest(from: Slot, { slots }: HistoryPage): AttestedRange {
    const transactions = slots.reduce((sum, slot) => sum + slot.transactions.length, 0);
    return { from, source: this.sources[0].name, transactions };
  }

  /** A slot without a time has that of the nearest earlier slot. */
  private toBlock({ slot, blockTime, transactions }: HistorySlot, parent: BlockRef, anchor: BlockRef | null): Block {
    this.lastTime = blockTime ?? this.lastTime ?? 0;
    const block = anchor?.slot === slot ? anchor : sparseBlock(slot);
    const link: BlockLink = { ...block, parentSlot: parent.slot, parentBlockhash: parent.blockhash };
    const counts = { transactionCount: transactions.length, blockHeight: null, signatures: null };
    return { ...link, ...counts, blockTime: this.lastTime, transactions };
  }

  /** The newest final block that is far enough below the tip; null if the chain is shorter. */
  private async findFinalBlock(signal: AbortSignal): Promise<BlockRef | null> {
    const slot = (await this.node.findTip(signal)) - this.options.anchorDistance;
    return slot < 0 ? null : this.findLinkedBlock(toSlot(slot), signal);
  }

  /** The first block of the node from a slot on, once another one names it as its parent. */
  private async findLinkedBlock(slot: Slot, signal: AbortSignal): Promise<BlockRef | null> {
    let first: BlockRef | null = null;
    for await (const block of this.node.blocksFrom(slot, signal)) {
      if (first) return first;
      first = { slot: block.slot, blockhash: block.blockhash };
    }
    return null;
  }

  /** The last block of history that can be read again; null if there is none. */
  private async findEnd(): Promise<BlockRef | null> {
    const anchor = await this.stored.findAnchor();
    if (anchor) return anchor;
    const attestedTo = await this.stored.findAttestedTo();
    return attestedTo === null ? null : sparseBlock(attestedTo);
  }
}

/** The slots of a page, and its last slot, also without transactions. */
function withEnd({ slots, to }: HistoryPage): readonly HistorySlot[] {
  return slots.at(-1)?.slot === to ? slots : [...slots, { slot: to, blockTime: null, transactions: [], link: null }];
}

/** Ends when the signal aborts, instead of throwing its reason. */
async function* untilAborted(blocks: AsyncIterable<Block>, signal: AbortSignal): AsyncIterable<Block> {
  try {
    yield* blocks;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
