import { type BlockRef, type Commitment, isSparse, sparseBlock } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { type BlockSource, type ChainTip } from '../block-source';
import { PUBLIC_CLUSTERS } from '../clusters';
import { type BranchQuestion, type FinalizedBranch } from '../finalized-branch';
import { HistoryAnchor } from './history-anchor';
import { findExtentOf, requireBlocksAfter } from './history-extent';
import { HistoryReader, type HistoryReaderOptions } from './history-reader';
import { type HistoryPage, type HistorySource } from './history-source';
import { endOfPart, startOfPart } from './parts';
import { toSparseBlock, toSparseBlocks } from './sparse-blocks';
import { type StoredHistory } from './stored-history';

export interface HistoryOptions extends HistoryReaderOptions {
  /** The first slot of a new index; null: the slot where ZK Compression starts on the cluster, else 0. */
  startSlot: Slot | null;
  /** Called when all blocks up to the anchor are published, before the node is asked for the next one. An error ends the chain. */
  onAnchor?: () => Promise<void>;
}

/** Slots of a part, which one series of requests reads. On mainnet about a thousand transactions, which is one answer. */
export const HISTORY_PART_SLOTS = 10_000;
const TIP_INTERVAL_MS = 5_000;

/**
 * Delivers the past from a history source as sparse blocks, and then the blocks of the node from the anchor on.
 *
 * ```
 *   parts     ├────────────┼────────────┼───────┤      each is read from its start, also to resume within it
 *   history   100 ····· 107 ·· 110 ······ 1,000        sparse blocks: slots with transactions, and the ends of parts
 *   anchor                                1,000        the same slot, with the blockhash that the node gives
 *   node                                    └── 1,001 ── 1,002 …
 * ```
 *
 * The last block of a part attests it. So what is attested does not depend on where a run was interrupted.
 */
export class HistoryBlockSource implements BlockSource {
  private readonly reader: HistoryReader;
  private readonly anchor: HistoryAnchor;

  constructor(
    /** The first one is read. When slots are read again, all are: what one lacks, another may have. */
    private readonly sources: readonly [HistorySource, ...HistorySource[]],
    private readonly node: BlockSource,
    private readonly stored: StoredHistory,
    private readonly options: HistoryOptions,
    logger: Logger,
  ) {
    this.reader = new HistoryReader(sources, node, options, logger);
    this.anchor = new HistoryAnchor(node, stored, options.anchorDistance, logger);
  }

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
    const extent = await findExtentOf(this.sources[0], this.node, startSlot, signal);
    return startSlot ?? extent?.from ?? toSlot(PUBLIC_CLUSTERS.get(await this.identify(signal))?.firstSlot ?? 0);
  }

  findCommitment(): Promise<Commitment> {
    return this.node.findCommitment?.() ?? Promise.resolve('confirmed');
  }

  readFinalized(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch> {
    return this.anchor.readFinalized(question, signal);
  }

  blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    return untilAborted(this.readAfter(after, signal), signal);
  }

  private async *readAfter(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    const isDense = after !== null && !isSparse(after);
    const anchor = isDense ? after : yield* this.backfill(after, signal);
    if (signal.aborted) return;
    await this.options.onAnchor?.();
    yield* this.node.blocks(anchor, signal);
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
    const pages = this.reader.readAgain({ from: slot, to: end.slot }, end, about, signal);
    const place = { after: before(slot), blockTime: await this.stored.findBlockTime(slot), anchor: end };
    const last = yield* toSparseBlocks(pages, { ...place, isEnd: (to) => to === end.slot, attest: null });
    if (!isSparse(last) && !signal.aborted) yield* this.node.blocks(last, signal);
  }

  async findBlock(slot: Slot, signal: AbortSignal): Promise<Block | null> {
    const end = await this.findEnd();
    if (end === null || slot > end.slot) return this.node.findBlock(slot, signal);
    for await (const { slots } of this.reader.readAgain({ from: slot, to: slot }, end, undefined, signal)) {
      const found = slots.at(0);
      if (!found) continue;
      const time = found.blockTime ?? (await this.stored.findBlockTime(slot)) ?? 0;
      return toSparseBlock(found, before(slot), end.slot === slot ? end : sparseBlock(slot), time);
    }
    return null;
  }

  /** @returns the last block: the anchor; null if the index starts after it, so that there is no past to read */
  private async *backfill(
    after: BlockRef | null,
    signal: AbortSignal,
  ): AsyncGenerator<Block, BlockRef | null, undefined> {
    const first = await this.findFirstSlot(signal);
    let last = after ?? before(first);
    while (!signal.aborted) {
      const anchor = await this.anchor.find();
      const end = anchor ?? (await this.findCandidate(signal));
      if (!end || (!after && end.slot < first)) return null;
      const to = anchor ? anchor.slot : this.findLastPart(end.slot);
      if (to > last.slot) last = yield* this.deliver(first, last, anchor, toSlot(to), signal);
      else if (!anchor) await this.anchor.decide(end);
      if (anchor) return last;
    }
    return last;
  }

  /** The last block that the source has, else a final one of the node. @returns null if the chain is too short */
  private async findCandidate(signal: AbortSignal): Promise<BlockRef | null> {
    const [source] = this.sources;
    const extent = await findExtentOf(source, this.node, this.options.startSlot, signal);
    if (!extent) return this.anchor.findCandidate(signal);
    await requireBlocksAfter(extent, source, this.node, signal);
    return extent.anchor;
  }

  /**
   * The last slot of the last part that can be read before the anchor is decided, so that few blocks have to be fetched after it. One part
   * remains, because another ingest may decide it, and know an older tip.
   */
  private findLastPart(candidate: Slot): number {
    const { partSlots } = this.options;
    return startOfPart(candidate, partSlots) - partSlots - 1;
  }

  /** Delivers the slots after a block up to another one, and attests each part. @returns the last block */
  private async *deliver(
    first: Slot,
    after: BlockRef,
    anchor: BlockRef | null,
    to: Slot,
    signal: AbortSignal,
  ): AsyncGenerator<Block, BlockRef, undefined> {
    const { partSlots } = this.options;
    const startOf = (slot: Slot) => toSlot(Math.max(startOfPart(slot, partSlots), first));
    const range = { from: startOf(toSlot(after.slot + 1)), to };
    const pages = this.watchTip(this.reader.readParts(range, anchor, signal), signal);
    return yield* toSparseBlocks(pages, {
      after,
      anchor,
      blockTime: await this.stored.findBlockTime(after.slot),
      isEnd: (slot) => slot === to || slot === endOfPart(slot, partSlots),
      attest: (slot) => ({ from: startOf(slot), source: this.reader.sourceName }),
    });
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

  /** The last block of history that can be read again; null if there is none. Until the anchor is decided, all blocks are of history. */
  private async findEnd(): Promise<BlockRef | null> {
    const anchor = await this.anchor.find();
    if (anchor) return anchor;
    const newest = await this.stored.findNewestBlock();
    return newest && isSparse(newest) ? newest : null;
  }
}

/** The block before a slot, if history attests the slot. */
function before(slot: Slot): BlockRef {
  return sparseBlock(toSlot(Math.max(slot - 1, 0)));
}

/** Ends when the signal aborts, instead of throwing its reason. */
async function* untilAborted(blocks: AsyncIterable<Block>, signal: AbortSignal): AsyncIterable<Block> {
  try {
    yield* blocks;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
