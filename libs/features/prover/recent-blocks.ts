import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { blockKey, type BlockLink, type BlockRef, Branch, parentOf } from '@fresnel/domain/chain';
import { type Slot } from '@fresnel/domain/primitives';

/** More blocks than a fork may orphan. */
const MAX_BRANCH = 64;
/** Enough for the duplicate records of several forks. */
const MAX_ORPHANED = 256;

/**
 * The recent blocks of a partition: the branch that its trees follow, and orphaned blocks.
 *
 * ```
 *  branch      100 ── 101 ── 102 ── 103      the record of a new block advances the tip
 *  orphaned     └ 101' ── 102'               their records, and those of their children, are skipped
 * ```
 */
export class RecentBlocks {
  private readonly branch: Branch<RecentBlock>;
  /** By `blockKey`, oldest first. */
  private readonly orphaned: Map<string, RecentBlock>;

  /** @param blocks in the order of `all` */
  constructor(blocks: readonly RecentBlock[]) {
    this.branch = new Branch(
      MAX_BRANCH,
      blocks.filter(({ isOrphaned }) => !isOrphaned),
    );
    this.orphaned = new Map(
      blocks.filter(({ isOrphaned }) => isOrphaned).map((block) => [blockKey(block), block] as const),
    );
  }

  /** The slot of the newest block on the branch; null if the branch is empty. */
  get tip(): Slot | null {
    return this.branch.tip?.slot ?? null;
  }

  /** The blocks to store with the partition. */
  get all(): RecentBlock[] {
    return [...this.orphaned.values(), ...this.branch.blocks];
  }

  /**
   * Whether the record of a block is to be applied. A block after the tip is added to the branch.
   *
   * Records arrive in chain order. So an unknown block at a slot below the tip is on another branch, and its record is
   * skipped. A block older than the whole branch is a repetition, which changes nothing.
   */
  admit(block: BlockLink): boolean {
    if (this.branch.has(block)) return true;
    if (this.orphaned.has(blockKey(block))) return false;
    if (this.orphaned.has(blockKey(parentOf(block)))) {
      this.addOrphaned(block);
      return false;
    }
    const { tip, oldest } = this.branch;
    if (tip && oldest && block.slot <= tip.slot) return block.slot < oldest.slot;
    this.branch.append({ slot: block.slot, blockhash: block.blockhash, isOrphaned: false });
    return true;
  }

  /**
   * Marks a block as orphaned, and removes it and the blocks after it from the branch.
   *
   * @returns whether the trees have to be reverted: the block was on the branch, the branch is unknown, or the block is
   * newer than the branch, like a silent block without a watermark. Such a block changed no tree, but a tree account may
   * have been read at it.
   */
  markOrphaned(block: BlockRef): boolean {
    if (this.orphaned.has(blockKey(block))) return false;
    this.addOrphaned(block);
    const { tip } = this.branch;
    const isReverted = tip === null || block.slot > tip.slot || this.branch.has(block);
    if (isReverted) this.branch.truncateFrom(block.slot);
    return isReverted;
  }

  private addOrphaned({ slot, blockhash }: BlockRef): void {
    this.orphaned.set(blockKey({ slot, blockhash }), { slot, blockhash, isOrphaned: true });
    for (const oldest of this.orphaned.keys()) {
      if (this.orphaned.size <= MAX_ORPHANED) return;
      this.orphaned.delete(oldest);
    }
  }
}
