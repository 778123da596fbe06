import { blockKey, type BlockLink, type BlockRef, isSameBlock } from '@fresnel/domain/chain';
import { FresnelError, type Slot } from '@fresnel/domain/primitives';

/** Asks which of some blocks the chain has. */
export interface BranchQuestion {
  /** Blocks that may be on the chain, oldest first. */
  known: readonly BlockRef[];
  /** The answer has to reach this slot. */
  upTo: Slot;
}

/**
 * A part of the finalized chain, read along parent links. It is the only evidence that a block is orphaned.
 *
 * ```
 *   known     100 ── 101 ── 102 ── 103
 *   chain              └─── 102' ───────── 104'        fork point: 101, blocks: 102' and 104'
 *                                                      102 is orphaned, because the chain has another block at its slot;
 *                                                      103 is orphaned, because a link passes over its slot
 * ```
 */
export class FinalizedBranch {
  private readonly keys: ReadonlySet<string>;

  constructor(
    /** The newest known block that is on the chain; null if there is none. */
    readonly forkPoint: BlockRef | null,
    /** The blocks of the chain after the fork point, oldest first, up to the first one at or above the asked slot. */
    readonly blocks: readonly BlockLink[],
  ) {
    this.keys = new Set(blocks.map(blockKey));
  }

  /** The newest slot about which the branch decides; -1 if it decides about none. */
  get end(): number {
    return this.blocks.at(-1)?.slot ?? -1;
  }

  has(block: BlockRef): boolean {
    return this.keys.has(blockKey(block));
  }

  /** Whether the chain has another block at the slot of a block, or a link that passes over the slot. */
  excludes(block: BlockRef): boolean {
    const start = this.blocks.at(0)?.parentSlot ?? Infinity;
    return block.slot > start && block.slot <= this.end && !this.has(block);
  }

  isSame({ forkPoint, blocks }: FinalizedBranch): boolean {
    const isSameStart =
      this.forkPoint && forkPoint ? isSameBlock(this.forkPoint, forkPoint) : !this.forkPoint && !forkPoint;
    return isSameStart && blocks.length === this.blocks.length && blocks.every((block) => this.has(block));
  }
}

/** The nodes do not prove which blocks the chain has. The same question may be answered later. */
export class UnprovenBranchError extends FresnelError {
  readonly code = 'unproven-branch';
  readonly isRetryable = true;

  constructor(
    /** What is missing. It is the same text as long as nothing changes. */
    message: string,
    /** The slot that has to be reached. */
    readonly slot: Slot,
    /** The number of the endpoint in the configured list, from 1; null if it is a matter of several. */
    readonly endpoint: number | null,
  ) {
    super(message);
  }
}
