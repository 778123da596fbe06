import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type Hash, keyOf, type Slot } from '@fresnel/domain/primitives';

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
  /** The blocks of the current branch by blockhash, oldest first. */
  private readonly branch = new Map<string, RecentBlock>();
  private readonly orphaned = new Map<string, RecentBlock>();
  private last: Slot | null = null;

  /** @param blocks in the order of `all` */
  constructor(blocks: readonly RecentBlock[]) {
    for (const block of blocks) {
      if (block.isOrphaned) this.orphaned.set(keyOf(block.blockhash), block);
      else this.addToBranch(block);
    }
  }

  /** The slot of the newest block on the branch; null if the branch is empty. */
  get tip(): Slot | null {
    return this.last;
  }

  /** The blocks to store with the partition. */
  get all(): RecentBlock[] {
    return [...this.orphaned.values(), ...this.branch.values()];
  }

  /**
   * Whether the record of a block is to be applied. A block after the tip is added to the branch.
   *
   * Records arrive in chain order. So an unknown block at a slot below the tip is on another branch, and its record is
   * skipped. A block older than the whole branch is a repetition, which changes nothing.
   */
  admit({ slot, blockhash, parentBlockhash }: BlockLink): boolean {
    if (this.branch.has(keyOf(blockhash))) return true;
    if (this.orphaned.has(keyOf(blockhash))) return false;
    if (this.orphaned.has(keyOf(parentBlockhash))) {
      this.addOrphaned(slot, blockhash);
      return false;
    }
    if (this.last !== null && slot <= this.last) return slot < this.oldest;
    this.addToBranch({ slot, blockhash, isOrphaned: false });
    return true;
  }

  /**
   * Marks a block as orphaned, and removes it and the blocks after it from the branch.
   *
   * @returns whether the trees may contain the block: it was on the branch, or the branch is unknown
   */
  markOrphaned({ slot, blockhash }: BlockRef): boolean {
    if (this.orphaned.has(keyOf(blockhash))) return false;
    const isOnOtherBranch = !this.branch.has(keyOf(blockhash)) && this.last !== null;
    this.addOrphaned(slot, blockhash);
    if (isOnOtherBranch) return false;
    const remaining = [...this.branch.values()].filter((block) => block.slot < slot);
    this.branch.clear();
    this.last = null;
    for (const block of remaining) this.addToBranch(block);
    return true;
  }

  private get oldest(): Slot {
    const [first] = this.branch.values();
    return first.slot;
  }

  private addToBranch(block: RecentBlock): void {
    this.branch.set(keyOf(block.blockhash), block);
    this.last = block.slot;
    dropOldest(this.branch, MAX_BRANCH);
  }

  private addOrphaned(slot: Slot, blockhash: Hash): void {
    this.orphaned.set(keyOf(blockhash), { slot, blockhash, isOrphaned: true });
    dropOldest(this.orphaned, MAX_ORPHANED);
  }
}

function dropOldest(blocks: Map<string, RecentBlock>, max: number): void {
  for (const key of blocks.keys()) {
    if (blocks.size <= max) return;
    blocks.delete(key);
  }
}
