import { blockKey, type BlockLink, type BlockRef, isSameBlock } from '@fresnel/domain/chain';
import { type PartiallyPublishedBlock, PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

/** The newest blocks that consumers have been told of, and those that they were told to forget. */
export class PublishedBlocks {
  private published: BlockRef[];
  private partiallyPublished: PartiallyPublishedBlock[];
  private readonly reverted: Set<string>;

  constructor({ published, partiallyPublished, reverted }: ResumeState) {
    this.published = [...published];
    this.partiallyPublished = [...partiallyPublished];
    this.reverted = new Set(reverted.map(blockKey));
  }

  /** The last one that all consumers have; null before the first. */
  get last(): BlockRef | null {
    return this.published.at(-1) ?? null;
  }

  /** All of them, newest last. */
  get all(): BlockRef[] {
    return [...this.published, ...this.partiallyPublished];
  }

  /** Whether the child of the last one is what consumers expect: those that were there before it may have more. */
  isExpected(block: BlockLink): boolean {
    const next = this.partiallyPublished.at(0);
    if (!next || isSameBlock(next, block)) return true;
    return next.parentSlot !== null && block.slot <= next.parentSlot;
  }

  /** Whether consumers were told to forget it, which they do for good. */
  wasReverted(block: BlockRef): boolean {
    return this.reverted.has(blockKey(block));
  }

  /** Takes the child of the last one up, now that it is published. */
  add({ slot, blockhash }: BlockRef): void {
    const next = this.partiallyPublished.at(0);
    if (next && isSameBlock(next, { slot, blockhash })) this.partiallyPublished.shift();
    this.published.push({ slot, blockhash });
    if (this.published.length > PUBLISHED_BLOCK_WINDOW) this.published.shift();
  }

  /** Those above one that is held, newest first. */
  blocksAfter(ancestor: BlockRef): BlockRef[] {
    const { all } = this;
    const at = all.findIndex((each) => isSameBlock(each, ancestor));
    return all.slice(at + 1).reverse();
  }

  /** Forgets those above one that is held. */
  revertTo(ancestor: BlockRef): void {
    const above = this.blocksAfter(ancestor);
    for (const block of above) this.reverted.add(blockKey(block));
    this.published = this.published.filter((each) => !this.wasReverted(each));
    this.partiallyPublished = [];
  }
}
