import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { type BlockRef, Branch, isSameBlock, isSparse } from '@fresnel/domain/chain';

/** The newest blocks that provers have applied in each partition of `tree-updates`. All partitions follow one chain. */
export class AppliedBranches {
  private readonly branches: Branch[];

  /** @param partitions their recent blocks, oldest first, with orphaned and refused ones */
  constructor(partitions: Iterable<{ blocks: readonly RecentBlock[] }>) {
    this.branches = [...partitions].map(({ blocks: recent }) => {
      return new Branch(
        recent.length,
        recent.filter(({ state }) => state === 'admitted'),
      );
    });
  }

  /** The newest block of the partition that is furthest behind; null while a partition has none. */
  get tip(): BlockRef | null {
    const tips = this.branches.flatMap(({ tip }) => (tip ? [tip] : []));
    if (tips.length < this.branches.length) return null;
    return tips.sort((one, other) => one.slot - other.slot).at(0) ?? null;
  }

  /** The newest block of every partition; null while they are at different ones. Watermarks bring all to the newest block of the chain. */
  get commonTip(): BlockRef | null {
    const { tip } = this;
    return tip && this.branches.every((branch) => branch.tip && isSameBlock(branch.tip, tip)) ? tip : null;
  }

  /** The lowest slot whose block a fork may replace. Older blocks are final. */
  get oldestSlot(): number {
    return Math.min(...this.branches.map(({ oldest }) => oldest?.slot ?? 0));
  }

  /** Whether a block is on all branches, as far as they reach back. A sparse block is final. */
  contain(block: BlockRef | null): boolean {
    if (block && isSparse(block)) return true;
    return this.branches.every((branch) => !block || branch.has(block) || block.slot < (branch.oldest?.slot ?? 0));
  }
}
