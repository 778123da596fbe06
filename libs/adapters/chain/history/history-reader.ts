import { type BlockRef, isSparse } from '@fresnel/domain/chain';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type BlockSource, MissingHistoryError } from '../block-source';
import { RpcUnavailableError } from '../solana-rpc';
import { type HistoryPage, type HistorySource, type SlotRange } from './history-source';
import { mergePages } from './merge-pages';
import { readAhead, type ReadAheadOptions } from './read-ahead';
import { cutPages, decideRepeats, REPEAT_SLOTS } from './repeated-signatures';

export interface HistoryReaderOptions extends ReadAheadOptions {
  /** The program whose transactions are read. */
  accountCompression: Pubkey;
  /** No slot before it is read. */
  startSlot: Slot | null;
  /** So many slots after the anchor have blocks of the node. A source that ends at the anchor lacks their transactions. */
  anchorDistance: number;
}

/** Reads ranges of history, with each transaction where the chain has it. */
export class HistoryReader {
  constructor(
    /** The first one is read. When slots are read again, all are: what one lacks, another may have. */
    private readonly sources: readonly [HistorySource, ...HistorySource[]],
    /** Has the blocks after the anchor. */
    private readonly node: Pick<BlockSource, 'findBlock'>,
    private readonly options: HistoryReaderOptions,
    private readonly logger: Logger,
  ) {}

  /** The source that `readParts` reads. */
  get sourceName(): string {
    return this.sources[0].name;
  }

  /** Reads a range for the first time, in parts side by side. Each part ends with a page. @param end the anchor, if it is known */
  readParts(range: SlotRange, end: BlockRef | null, signal: AbortSignal): AsyncIterable<HistoryPage> {
    const [source] = this.sources;
    const { accountCompression } = this.options;
    const read = (part: SlotRange, stop: AbortSignal) => source.read(part, [accountCompression], stop);
    const pages = readAhead(this.around(range, end), read, this.options, signal);
    return this.decide(range, pages, end, signal);
  }

  /** Reads slots from all sources. What several have is taken from the first of them. @param end see `readParts` */
  readAgain(
    range: SlotRange,
    end: BlockRef,
    about: readonly Pubkey[] = [this.options.accountCompression],
    signal: AbortSignal,
  ): AsyncIterable<HistoryPage> {
    const around = this.around(range, end);
    const pages = mergePages(this.sources.toReversed().map((source) => source.read(around, about, signal)));
    return this.decide(range, pages, end, signal);
  }

  /** The slots that decide where the transactions of a range belong. */
  private around({ from, to }: SlotRange, end: BlockRef | null): SlotRange {
    const { startSlot, anchorDistance } = this.options;
    const known = this.sources[0].findExtent ? 0 : anchorDistance;
    const last = end && !isSparse(end) ? end.slot + known : Infinity;
    return {
      from: toSlot(Math.max(from - REPEAT_SLOTS, startSlot ?? 0)),
      to: toSlot(Math.min(to + REPEAT_SLOTS, last)),
    };
  }

  private decide(
    range: SlotRange,
    pages: AsyncIterable<HistoryPage>,
    end: BlockRef | null,
    signal: AbortSignal,
  ): AsyncIterable<HistoryPage> {
    const isDense = (slot: Slot) => end !== null && !isSparse(end) && slot > end.slot;
    const hasBlock = (slot: Slot) => (isDense(slot) ? this.isOfNode(slot, signal) : this.hasBlock(slot, signal));
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

  /** Blocks after the anchor are those of the node. @returns null if it does not tell now, or has deleted the block */
  private async isOfNode(slot: Slot, signal: AbortSignal): Promise<boolean | null> {
    try {
      return (await this.node.findBlock(slot, signal)) !== null;
    } catch (error) {
      if (error instanceof MissingHistoryError || error instanceof RpcUnavailableError) return null;
      throw error;
    }
  }
}
