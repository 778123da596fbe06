import { blockKey, type BlockLink, type BlockRef, Branch, isSameBlock } from '@fresnel/domain/chain';
import { type PartiallyPublishedBlock, PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

/** The newest blocks published to consumers, and the blocks whose revert was published. */
export class PublishedBlocks {
  private published: Branch;
  private partiallyPublished: PartiallyPublishedBlock[];
  private readonly reverted: Set<string>;

  constructor({ published, partiallyPublished, reverted }: ResumeState) {
    this.published = new Branch(PUBLISHED_BLOCK_WINDOW, published);
    this.partiallyPublished = [...partiallyPublished];
    this.reverted = new Set(reverted.map(blockKey));
  }

  /** The last block published to every topic; null before the first. */
  get last(): BlockRef | null {
    return this.published.tip;
  }

  /** The newest blocks that are published to every topic, newest last. */
  get blocks(): readonly BlockRef[] {
    return this.published.blocks;
  }

  /** Published blocks, then partially published blocks, newest last. */
  get all(): BlockRef[] {
    return [...this.published.blocks, ...this.partiallyPublished];
  }

  /**
   * Whether a child of the last published block may be published next.
   *
   * Some consumers already have the partially published blocks. So those blocks come next, in their order; only blocks
   * up to the parent of the first one may come before it.
   */
  isExpected(block: BlockLink): boolean {
    const next = this.partiallyPublished.at(0);
    if (!next || isSameBlock(next, block)) return true;
    return block.slot <= next.parentSlot;
  }

  /** Whether the revert of a block was published. Consumers ignore such a block from then on. */
  wasReverted(block: BlockRef): boolean {
    return this.reverted.has(blockKey(block));
  }

  /** Adds the child of the last published block, once it is published too. */
  add({ slot, blockhash }: BlockRef): void {
    const next = this.partiallyPublished.at(0);
    if (next && isSameBlock(next, { slot, blockhash })) this.partiallyPublished.shift();
    this.published.append({ slot, blockhash });
  }

  /**
   * Continues after an older block. The blocks after it are published again: consumers may have ignored them, because they
   * had other blocks in their place.
   *
   * @param branch the block and its ancestors, newest last
   * @param reverted the other blocks, whose revert was published
   */
  rewind(branch: readonly BlockRef[], reverted: readonly BlockRef[]): void {
    const own = this.published.blocks;
    const newest = branch.at(-1)?.slot ?? -1;
    this.partiallyPublished = own.flatMap(({ slot, blockhash }, at) =>
      at === 0 || slot <= newest ? [] : [{ slot, blockhash, parentSlot: own[at - 1].slot }],
    );
    this.published = new Branch(PUBLISHED_BLOCK_WINDOW, branch);
    for (const block of reverted) this.reverted.add(blockKey(block));
  }

  /** The blocks after one of `all`, newest first. */
  blocksAfter(ancestor: BlockRef): BlockRef[] {
    const { all } = this;
    const index = all.findIndex((block) => isSameBlock(block, ancestor));
    return all.slice(index + 1).reverse();
  }

  /**
   * Removes the blocks after the fork point, one of `all`, and marks them as reverted. Partially published blocks up to
   * the fork point are removed too: the source delivers them again.
   */
  revertTo(forkPoint: BlockRef): void {
    for (const block of this.blocksAfter(forkPoint)) {
      this.reverted.add(blockKey(block));
      this.published.truncateFrom(block.slot);
    }
    this.partiallyPublished = [];
  }
}
