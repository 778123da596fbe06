import { type BlockSource, type FinalizedBranch, ForkError, UnprovenBranchError } from '@fresnel/adapters/chain';
import { type SlotAdopted, type SlotReverted } from '@fresnel/contracts/messages';
import { type BlockLink, type BlockRef, blockRefOf, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { type Logger } from '@fresnel/platform';
import { type FollowMetrics } from './follow.metrics';
import { type Correction, type PublishedBlocks } from './published-blocks';
import { type SlotReverter } from './slot.reverter';

/**
 * Has consumers revert published blocks that are orphaned, and adopt reverted blocks that are on the chain. Only the finalized
 * chain decides what is orphaned. Until then nothing is published after an unlinked block.
 */
export class BranchSwitcher {
  /** The state that was logged last; null while no block is unlinked. */
  private reported: string | null = null;

  constructor(
    private readonly source: BlockSource,
    private readonly reverter: SlotReverter,
    private readonly logger: Logger,
    private readonly metrics: FollowMetrics,
  ) {}

  /**
   * Compares the published blocks with the finalized chain.
   *
   * @param unlinked the block that cannot be published after the last one
   * @returns null if the source has to be asked for blocks again: nothing is proven, or the chain has all published blocks
   * @throws ForkError when the fork is too deep
   */
  async findCorrection(
    published: PublishedBlocks,
    unlinked: BlockLink,
    signal: AbortSignal,
  ): Promise<Correction | null> {
    this.metrics.waitsForEvidence.set(1);
    const branch = await this.readBranch(published, unlinked, signal);
    if (!branch) return null;
    const orphaned = published.all.filter((block) => branch.excludes(block)).reverse();
    const adopted = branch.blocks.filter((block) => published.wasReverted(block));
    if (orphaned.length === 0 && adopted.length === 0) {
      this.report(
        { slot: unlinked.slot },
        'unlinked block, but the chain has all published blocks: reading blocks again',
      );
      return null;
    }
    const { forkPoint } = branch;
    if (orphaned.length > MAX_FORK_DEPTH) throw tooDeep(orphaned, forkPoint);
    const common = published.blocks.filter(({ slot }) => forkPoint && slot <= forkPoint.slot);
    return { forkPoint, branch: common, newestChange: null, orphaned, adopted };
  }

  /** Has consumers change to the chain, and continues after the branch of the correction. */
  async apply(published: PublishedBlocks, correction: Correction, signal: AbortSignal): Promise<void> {
    const { forkPoint, orphaned, adopted } = correction;
    const values = { forkPointSlot: forkPoint?.slot ?? null, adopted: adopted.length };
    if (orphaned.length > 0) {
      const depth = { depth: orphaned.length, newestOrphanedSlot: orphaned[0].slot, ...values };
      this.logger.warn(depth, 'the chain forked: reverting orphaned blocks');
      if ((await this.source.findCommitment?.()) === 'finalized') {
        this.metrics.finalForks.inc();
        this.logger.error(
          depth,
          'the orphaned blocks were read as finalized: a node was wrong, or the cluster reverted',
        );
      }
      await this.reverter.revert(toReverted(orphaned, forkPoint), signal);
      this.metrics.forks.inc();
    }
    if (adopted.length > 0) {
      this.logger.warn({ ...values, slot: adopted[0].slot }, 'adopting reverted blocks that are on the chain');
      await this.reverter.adopt(adopted.map(toAdopted), signal);
    }
    published.switchTo(correction);
    if (forkPoint) this.metrics.slot.set(forkPoint.slot);
    this.logger.info(
      { ...values, depth: orphaned.length },
      'consumers follow the chain: publishing the blocks after the fork point',
    );
    this.settle();
  }

  /** Called when blocks are published again. */
  settle(): void {
    this.reported = null;
    this.metrics.waitsForEvidence.set(0);
  }

  /** @returns null while the nodes do not prove which of the published blocks are on the chain */
  private async readBranch(
    published: PublishedBlocks,
    unlinked: BlockLink,
    signal: AbortSignal,
  ): Promise<FinalizedBranch | null> {
    const known = published.all;
    const newest = known.at(-1);
    const isUnlinkedNewer = !newest || (published.wasReverted(unlinked) && unlinked.slot > newest.slot);
    try {
      return await this.source.readFinalized({ known, upTo: (isUnlinkedNewer ? unlinked : newest).slot }, signal);
    } catch (error) {
      if (!(error instanceof UnprovenBranchError)) throw error;
      const { slot: awaitedSlot, endpoint, message: reason } = error;
      const values = { slot: unlinked.slot, last: newest?.slot ?? null, awaitedSlot, endpoint, reason };
      this.report(
        values,
        'unlinked block: nothing is published until the finalized chain shows which blocks are orphaned',
      );
      return null;
    }
  }

  /** Logs a state once. */
  private report(values: Record<string, unknown>, sentence: string): void {
    const state = JSON.stringify([values, sentence]);
    if (state !== this.reported) this.logger.warn(values, sentence);
    this.reported = state;
  }
}

function toReverted(orphaned: readonly BlockRef[], forkPoint: BlockRef | null): SlotReverted[] {
  const known = forkPoint ? { forkPoint: blockRefOf(forkPoint) } : {};
  return orphaned.map((block) => ({ kind: 'slot-reverted', ...blockRefOf(block), ...known }));
}

function toAdopted(block: BlockRef): SlotAdopted {
  return { kind: 'slot-adopted', ...blockRefOf(block) };
}

function tooDeep(orphaned: readonly BlockRef[], forkPoint: BlockRef | null): ForkError {
  const fork = `a fork at slot ${forkPoint?.slot ?? 'unknown'} orphaned ${orphaned.length} published blocks, the newest at slot ${orphaned[0].slot}`;
  return new ForkError(
    `${fork}; at most ${MAX_FORK_DEPTH} blocks can be reverted: rebuild the index with an empty database, empty topics and an empty Redis`,
  );
}
