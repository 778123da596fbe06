import { type BlockLink } from '@fresnel/domain/chain';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { HistoryAnswerError, type SlotRange } from './history-source';
import { type SqdBlock } from './sqd-block';

/** Blocks that cover a part of a range: it has no others with transactions that were asked for. */
export interface SqdPage<Block> extends SlotRange {
  blocks: Block[];
}

/**
 * Collects the blocks of a range. Each answer starts and ends with the first and the last block that it covers, and leaves out
 * others. So a block covers all slots from the end of what is known.
 */
export class SqdCoverage<Block extends SqdBlock> {
  /** The first slot that no block covers yet. */
  next: Slot;
  /** Of the blocks that were not taken. */
  sizeBytes = 0;
  private last: BlockLink | null = null;
  private blocks: Block[] = [];
  private from: Slot;

  constructor(private readonly range: SlotRange) {
    this.next = this.from = range.from;
  }

  get isComplete(): boolean {
    return this.next > this.range.to;
  }

  /**
   * Adds the next block of an answer.
   *
   * @param isFirst whether the answer starts with it
   * @throws HistoryAnswerError if it leaves slots uncovered, is out of range, or is on another branch than the last block
   */
  add(block: Block, isFirst: boolean): void {
    const { slot, parentSlot, parentBlockhash } = block.link;
    const { next, last } = this;
    const { from, to } = this.range;
    if (slot < next || slot > to)
      throw new HistoryAnswerError(`block ${slot} in an answer about slots ${from} to ${to}`);
    if (isFirst && parentSlot >= next)
      throw new HistoryAnswerError(`an answer starts after block ${parentSlot}, not ${next}`);
    const isOther =
      last && (parentSlot < last.slot || (parentSlot === last.slot && !parentBlockhash.equals(last.blockhash)));
    if (isOther) throw new HistoryAnswerError(`block ${slot} does not descend from block ${last.slot}`);
    this.last = block.link;
    this.next = toSlot(slot + 1);
    this.blocks.push(block);
    this.sizeBytes += block.sizeBytes;
  }

  /** The range has no more blocks. */
  finish(): void {
    this.next = toSlot(this.range.to + 1);
  }

  /** What is covered and was not taken; null if there is nothing. */
  take(): SqdPage<Block> | null {
    const { from, blocks } = this;
    if (this.next === from) return null;
    this.from = this.next;
    this.blocks = [];
    this.sizeBytes = 0;
    return { from, to: toSlot(this.next - 1), blocks };
  }
}
