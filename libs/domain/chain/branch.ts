import { type Slot } from '@fresnel/domain/primitives';
import { type BlockLink, blockKey, type BlockRef, isChildOf, isSameBlock, parentOf } from './block-ref';

/**
 * The newest known blocks of one branch of the chain, by slot, newest last.
 *
 * ```
 *   branch        100 ── 101 ── 102 ── 103        oldest: 100, tip: 103
 *                          └─── 102' ── 104'      102' is a child of 101, so 101 is the fork point,
 *                                                 and the blocks above it, 103 and 102, are orphaned
 * ```
 */
export class Branch<Block extends BlockRef = BlockRef> {
  private readonly list: Block[] = [];
  private readonly keys = new Set<string>();

  /**
   * @param limit number of blocks to keep; the oldest are dropped
   * @param blocks oldest first
   */
  constructor(
    private readonly limit: number,
    blocks: Iterable<Block> = [],
  ) {
    for (const block of blocks) this.append(block);
  }

  /** The branch that ends at `tip`. It contains the ancestors that `links` (keyed by `blockKey`) has without a gap. */
  static endingAt(tip: BlockLink, links: ReadonlyMap<string, BlockLink>, limit: number): Branch<BlockLink> {
    const newestFirst: BlockLink[] = [];
    let block: BlockLink | undefined = tip;
    while (block && newestFirst.length < limit) {
      newestFirst.push(block);
      block = links.get(blockKey(parentOf(block)));
    }
    return new Branch(limit, newestFirst.reverse());
  }

  /** Oldest first. */
  get blocks(): readonly Block[] {
    return this.list;
  }

  get oldest(): Block | null {
    return this.list.at(0) ?? null;
  }

  get tip(): Block | null {
    return this.list.at(-1) ?? null;
  }

  has(block: BlockRef): boolean {
    return this.keys.has(blockKey(block));
  }

  /** The parent of `block`: the fork point, unless it is the tip. Null if this branch does not contain the parent. */
  findParent(block: BlockLink): Block | null {
    return this.list.find((each) => isChildOf(block, each)) ?? null;
  }

  /** @param block a block above the tip */
  append(block: Block): void {
    this.list.push(block);
    this.keys.add(blockKey(block));
    if (this.list.length > this.limit)
      for (const dropped of this.list.splice(0, 1)) this.keys.delete(blockKey(dropped));
  }

  /** The blocks above a fork point, newest first. All blocks if the fork point is not on this branch. */
  above(forkPoint: BlockRef): Block[] {
    const position = this.list.findIndex((each) => isSameBlock(each, forkPoint));
    return this.list.slice(position + 1).reverse();
  }

  /** Removes the blocks at and above a slot. */
  truncateFrom(slot: Slot): void {
    while (this.list.length > 0 && this.list[this.list.length - 1].slot >= slot) {
      for (const removed of this.list.splice(-1)) this.keys.delete(blockKey(removed));
    }
  }
}
