import {
  type NamedBranch,
  type TreeUpdatesMessage,
  type Watermark,
  WATERMARK_SLOTS,
} from '@fresnel/contracts/messages';
import { type BlockLink, blockLinkOf, type BlockRef, isSameBlock, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { type TreeUpdate } from '@fresnel/domain/state';

/** The newest published blocks. */
export interface PublishedBranch {
  /** Oldest first. */
  readonly blocks: readonly BlockRef[];
  /** The newest published block that changes a tree; null if none is known. */
  readonly newestChange: BlockRef | null;
}

/** What a block does to trees. */
export interface BlockChanges {
  updates: readonly TreeUpdate[];
  /** See `changesTrees` of the domain. */
  changesTrees: boolean;
}

/**
 * Decides which blocks get a watermark in `tree-updates`.
 *
 * ```
 *   slot     1020  1021  1022  1023  1024  1025  1026  1027
 *   changes    T                                   T          T: the block changes a tree, the others are silent
 *   records  U  W                      W         U  W         U: updates, W: watermark
 *   names     …                      1020       1020          the newest earlier block that changes a tree
 *             …                      1021 to    1021 to       and the silent blocks between
 *                                    1023       1025
 * ```
 */
export class Watermarks {
  /** The newest block with a watermark; null: unknown. */
  private last: BlockRef | null = null;
  /** The newest slot at which a published tree was observed. A tree is compared with its observation at that slot. */
  private observedSlot = 0;

  /**
   * The records of `tree-updates` for a block; none for most silent blocks.
   *
   * @param published the last one is the parent
   */
  recordsOf(block: BlockLink, changes: BlockChanges, published: PublishedBranch): TreeUpdatesMessage[] {
    const { updates, changesTrees } = changes;
    if (updates.length === 0 && !changesTrees && published.blocks.length > 0 && !this.isDue(block)) return [];
    this.last = block;
    const branch = nameBranch(published.newestChange, published.blocks);
    this.observedSlot = Math.max(this.observedSlot, ...updates.map(({ tree }) => tree.observed.slot));
    return [
      ...updates.map((update): TreeUpdatesMessage => ({
        kind: 'update',
        update,
        ...branch,
        isRepublished: false,
      })),
      { kind: 'watermark', ...blockLinkOf(block), ...branch, changesTrees },
    ];
  }

  /** A watermark for the last published block if it is silent and has none. */
  recordsOfSilent({ blocks, newestChange }: PublishedBranch): Watermark[] {
    const [block, parent] = [blocks.at(-1), blocks.at(-2)];
    if (!block || !parent) return [];
    if ([this.last, newestChange].some((other) => other && isSameBlock(other, block))) return [];
    this.last = block;
    const { slot, blockhash } = block;
    const link = { slot, blockhash, parentSlot: parent.slot, parentBlockhash: parent.blockhash };
    return [{ kind: 'watermark', ...link, ...nameBranch(newestChange, blocks.slice(0, -1)), changesTrees: false }];
  }

  private isDue({ slot, parentSlot }: BlockLink): boolean {
    const isFirstOfRange = Math.floor(slot / WATERMARK_SLOTS) > Math.floor(parentSlot / WATERMARK_SLOTS);
    return isFirstOfRange || (parentSlot < this.observedSlot && this.observedSlot <= slot);
  }
}

/** @param before oldest first, up to the parent */
function nameBranch(newestChange: BlockRef | null, before: readonly BlockRef[]): NamedBranch {
  const silent = before.slice(before.findLastIndex((block) => newestChange && isSameBlock(block, newestChange)) + 1);
  return { previousChange: newestChange, silentBlocks: silent.slice(-MAX_FORK_DEPTH) };
}
