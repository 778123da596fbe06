import { type BlockSource, ForkError } from '@fresnel/adapters/chain';
import { type SlotReverted } from '@fresnel/contracts/messages';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { toBase58 } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type IngestMetrics } from './ingest.metrics';
import { type PublishedBlocks } from './published-blocks';
import { MAX_FORK_DEPTH } from './resume-point';
import { type SlotReverter } from './slot.reverter';
import { type StaleBlocks } from './stale-block.finder';

/** Reverts published blocks that a fork has orphaned. */
export class BranchSwitcher {
  constructor(
    private readonly source: BlockSource,
    private readonly reverter: SlotReverter,
    private readonly logger: Logger,
    private readonly metrics: IngestMetrics,
  ) {}

  /**
   * Finds the fork point, and has consumers revert the blocks after it.
   *
   * @param unlinkedBlock the block that cannot be published after the last one
   * @returns false if the source does not prove a fork: it has to be asked for blocks again
   * @throws ForkError when the fork is too deep, or when the chain has re-adopted a reverted block
   */
  async switchBranch(published: PublishedBlocks, unlinkedBlock: BlockLink, signal: AbortSignal): Promise<boolean> {
    if (published.wasReverted(unlinkedBlock)) {
      await this.rejectReadopted(unlinkedBlock, signal);
      return false;
    }
    const forkPoint = await this.source.findForkPoint(published.all, unlinkedBlock, signal);
    if (!forkPoint) return false;
    const orphaned = published.blocksAfter(forkPoint);
    const depth = orphaned.length;
    if (depth === 0) return false;
    const newest = orphaned[0].slot;
    if (depth > MAX_FORK_DEPTH) throw forkTooDeepError(depth, newest, forkPoint);
    const values = {
      depth,
      newestOrphanedSlot: newest,
      forkPointSlot: forkPoint.slot,
      unlinkedSlot: unlinkedBlock.slot,
    };
    this.logger.warn(values, 'the chain forked: reverting orphaned blocks');
    await this.reverter.revert(
      orphaned.map((block) => toReverted(block, forkPoint)),
      signal,
    );
    published.revertTo(forkPoint);
    this.metrics.forks.inc();
    this.metrics.slot.set(forkPoint.slot);
    this.logger.info(values, 'consumers have reverted the orphaned blocks');
    return true;
  }

  /** Has consumers revert stored blocks that are not on the chain, and rewinds to the last one that is. */
  async revertStale(
    published: PublishedBlocks,
    { orphaned, indexed }: StaleBlocks,
    signal: AbortSignal,
  ): Promise<void> {
    const forkPoint = indexed[indexed.length - 1];
    const values = { blocks: orphaned.length, newestOrphanedSlot: orphaned[0].slot, forkPointSlot: forkPoint.slot };
    this.logger.warn(
      values,
      'reverting stored blocks that are not on the chain: an ingest that has ended published them',
    );
    await this.reverter.revert(
      orphaned.map((block) => toReverted(block, forkPoint)),
      signal,
    );
    published.rewind(indexed, orphaned);
    this.metrics.forks.inc();
    this.metrics.slot.set(forkPoint.slot);
  }

  /** A node that lags behind may still deliver a reverted block. It is not re-adopted unless it is on the chain. */
  private async rejectReadopted(block: BlockLink, signal: AbortSignal): Promise<void> {
    if (await this.source.has(block, signal)) throw readoptedBlockError(block);
    this.logger.warn({ slot: block.slot }, 'the source delivered a reverted block that is not on the chain: retrying');
  }
}

function toReverted({ slot, blockhash }: BlockRef, forkPoint: BlockRef): SlotReverted {
  const { slot: forkSlot, blockhash: forkBlockhash } = forkPoint;
  return { kind: 'slot-reverted', slot, blockhash, forkPoint: { slot: forkSlot, blockhash: forkBlockhash } };
}

const REBUILD_INDEX = 'rebuild the index with an empty database, empty topics and an empty Redis';

function forkTooDeepError(depth: number, newestSlot: number, forkPoint: BlockRef): ForkError {
  const fork = `a fork at slot ${forkPoint.slot} orphaned ${depth} published blocks, the newest at slot ${newestSlot}`;
  return new ForkError(`${fork}; at most ${MAX_FORK_DEPTH} blocks can be reverted: ${REBUILD_INDEX}`);
}

function readoptedBlockError({ slot, blockhash }: BlockRef): ForkError {
  const block = `orphaned block ${slot} (${toBase58(blockhash)})`;
  return new ForkError(
    `the chain has re-adopted ${block}, which consumers have reverted permanently: ${REBUILD_INDEX}`,
  );
}
