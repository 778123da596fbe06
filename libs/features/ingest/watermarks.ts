import { type TreeUpdatesMessage, type Watermark, WATERMARK_SLOTS } from '@fresnel/contracts/messages';
import { type BlockLink, blockLinkOf, type BlockRef, isSameBlock } from '@fresnel/domain/chain';
import { type TreeUpdate } from '@fresnel/domain/state';

/**
 * Decides which blocks get a watermark in `tree-updates`.
 *
 * ```
 *   slot     1020  1021  1022  1023  1024  1025  1026  1027
 *   changes    T                                   T          T: the block changes a tree, the others are silent
 *   records  U  W                      W         W U  W       U: updates, W: watermark
 *   names    1020              1021 … 1024     1025  1026
 * ```
 *
 * A consumer therefore receives the links of all blocks in front of an update, which it needs to recognize orphaned blocks.
 */
export class Watermarks {
  /** The newest block with a watermark; null: unknown. */
  private last: BlockRef | null = null;
  /** The newest slot at which a published tree was observed. A tree is compared with its observation at that slot. */
  private observedSlot = 0;

  /**
   * The records of `tree-updates` for a block; none for most silent blocks.
   *
   * @param published the newest published blocks, oldest first; the last one is the parent
   */
  recordsOf(block: BlockLink, updates: readonly TreeUpdate[], published: readonly BlockRef[]): TreeUpdatesMessage[] {
    const silent = this.findSilent(published);
    if (updates.length > 0) {
      this.last = block;
      this.observedSlot = Math.max(this.observedSlot, ...updates.map(({ tree }) => tree.observed.slot));
      const changes = updates.map((update): TreeUpdatesMessage => ({ kind: 'update', update }));
      return [...watermarksOf(silent), ...changes, ...watermarksOf([block])];
    }
    if (published.length > 0 && !this.isDue(block)) return [];
    this.last = block;
    return watermarksOf([...silent, block]);
  }

  /** A watermark for the silent blocks at the end of the published ones; none if the last block has one. */
  recordsOfSilent(published: readonly BlockRef[]): Watermark[] {
    const silent = this.findSilent(published);
    this.last = silent.at(-1) ?? this.last;
    return watermarksOf(silent);
  }

  private isDue({ slot, parentSlot }: BlockLink): boolean {
    const isFirstOfRange = Math.floor(slot / WATERMARK_SLOTS) > Math.floor(parentSlot / WATERMARK_SLOTS);
    return isFirstOfRange || (parentSlot < this.observedSlot && this.observedSlot <= slot);
  }

  /** The published blocks after the last watermark. If that is unknown, all of them except the oldest. */
  private findSilent(published: readonly BlockRef[]): BlockLink[] {
    const { last } = this;
    const lastIndex = published.findIndex((block) => last !== null && isSameBlock(block, last));
    const from = Math.max(lastIndex, 0) + 1;
    return published.slice(from).map(({ slot, blockhash }, at) => {
      const parent = published[from + at - 1];
      return { slot, blockhash, parentSlot: parent.slot, parentBlockhash: parent.blockhash };
    });
  }
}

/** The watermark of the last of some linked blocks; none for no block. */
function watermarksOf(blocks: readonly BlockLink[]): Watermark[] {
  const last = blocks.at(-1);
  return last ? [{ kind: 'watermark', ...blockLinkOf(last), silent: blocks.slice(0, -1).map(blockLinkOf) }] : [];
}
