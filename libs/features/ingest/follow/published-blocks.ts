import { blockKey, type BlockLink, type BlockRef, Branch, isSameBlock } from '@fresnel/domain/chain';
import { ownBytes, toSlot } from '@fresnel/domain/primitives';
import { type PartiallyPublishedBlock, PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

/** How consumers get from the blocks that they have to those of the chain. */
export interface Correction {
  /** The newest block that the chain and the published blocks have in common; null if there is none. */
  forkPoint: BlockRef | null;
  /** Published blocks of the chain, newest last. Publishing continues after the last of them. */
  branch: readonly BlockRef[];
  /** The newest of them, or of the blocks before, that changes a tree, if another ingest may have published it; else null. */
  newestChange: BlockRef | null;
  /** Published blocks that the chain does not have, newest first. */
  orphaned: readonly BlockRef[];
  /** Reverted blocks that the chain has, oldest first. */
  adopted: readonly BlockRef[];
}

/** More than the blocks that ingest may be ahead of its consumers. */
const KEPT_CHANGES = 4_096;

/** The newest blocks published to consumers, and the blocks whose revert was published. */
export class PublishedBlocks {
  private published: Branch;
  /** The newest published blocks that change a tree. */
  private readonly changes: Branch;
  private partiallyPublished: PartiallyPublishedBlock[];
  private readonly reverted: Set<string>;

  constructor({ published, changes, partiallyPublished, reverted }: ResumeState) {
    this.published = new Branch(PUBLISHED_BLOCK_WINDOW, published);
    this.changes = new Branch(KEPT_CHANGES, changes);
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

  /** The newest published block that changes a tree; null if none is known. */
  get newestChange(): BlockRef | null {
    return this.changes.tip;
  }

  /**
   * Published and partially published blocks, newest last. A partially published one may be older than a published one of
   * another branch.
   */
  get all(): BlockRef[] {
    return [...this.published.blocks, ...this.partiallyPublished].sort((one, other) => one.slot - other.slot);
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
  add({ slot, blockhash }: BlockRef, changesTrees: boolean): void {
    const next = this.partiallyPublished.at(0);
    if (next && isSameBlock(next, { slot, blockhash })) this.partiallyPublished.shift();
    this.published.append({ slot, blockhash });
    if (changesTrees) this.changes.append({ slot, blockhash: ownBytes(blockhash) });
  }

  /**
   * Continues after the branch of a correction. Blocks of the chain that were published after it are published again:
   * consumers may have ignored them, because they had other blocks in their place. It never continues
   * after a later block than before: consumers may lack the blocks between, although others of them have them.
   */
  switchTo({ branch, newestChange, orphaned, adopted }: Correction): void {
    for (const block of orphaned) this.reverted.add(blockKey(block));
    for (const block of adopted) this.reverted.delete(blockKey(block));
    const own = this.published.blocks;
    const start = this.startAfter(branch);
    const newest = start.at(-1)?.slot ?? -1;
    this.partiallyPublished = [
      ...own.slice(1).map(({ slot, blockhash }, at) => ({ slot, blockhash, parentSlot: own[at].slot })),
      ...this.partiallyPublished,
    ].filter((block) => block.slot > newest && !this.wasReverted(block));
    this.published = new Branch(PUBLISHED_BLOCK_WINDOW, start);
    this.changes.truncateFrom(toSlot(newest + 1));
    if (newestChange && newestChange.slot <= newest && newestChange.slot > (this.changes.tip?.slot ?? -1)) {
      this.changes.append(newestChange);
    }
  }

  /** The blocks of a branch up to the newest own one that was not reverted, or these own ones. */
  private startAfter(branch: readonly BlockRef[]): readonly BlockRef[] {
    const own = this.published.blocks.filter((block) => !this.wasReverted(block));
    const last = own.at(-1);
    if (!last) return branch;
    const common = branch.filter(({ slot }) => slot <= last.slot);
    return common.length > 0 ? common : own;
  }
}
