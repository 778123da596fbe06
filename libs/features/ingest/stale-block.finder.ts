import { type BlockSource } from '@fresnel/adapters/chain';
import { blockKey, type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type PublishedBlocks } from './published-blocks';
import { MAX_FORK_DEPTH } from './resume-point';
import { type StoredBlocks } from './stored-blocks';

/** Stored blocks that are not on the chain. */
export interface StaleBlocks {
  /** Newest first, at least one. */
  orphaned: BlockRef[];
  /** The newest stored block below them that is on the chain, and its ancestors; newest last. */
  indexed: BlockLink[];
}

/** Stored blocks after the indexed slot that are compared with the chain. */
const MAX_AFTER = 64;
/** Intervals until the next comparison if no block was orphaned. */
const PAUSE_INTERVALS = 15;

/**
 * Finds stored blocks that are orphaned and that no ingest reverts: another ingest published them and ended.
 *
 * ```
 *   this ingest      100 ── 101 ── 102 ── 103        published and on the chain
 *   stored           100 ── 101 ── 102'              102' is orphaned, 102 was ignored: the indexed slot cannot advance
 * ```
 *
 * Blocks are compared only while the indexed slot does not advance, although 32 later slots were published. Before that, the
 * chain may adopt another branch, which an ingest that still runs follows.
 */
export class StaleBlockFinder {
  private checkedAt = performance.now();
  /** The newest indexed block at the last check. */
  private lastIndexed: string | null = null;

  constructor(
    private readonly stored: StoredBlocks,
    private readonly source: BlockSource,
    private readonly intervalMs: number,
    private readonly logger: Logger,
  ) {}

  /** @returns null if there are none, or if the last check was less than an interval ago */
  async find(published: PublishedBlocks, signal: AbortSignal): Promise<StaleBlocks | null> {
    const now = performance.now();
    if (now - this.checkedAt < this.intervalMs) return null;
    this.checkedAt = now;
    try {
      return await this.compare(published, signal);
    } catch (error) {
      if (!(error instanceof FresnelError) || !error.isRetryable) throw error;
      this.logger.warn({ reason: messageOf(error) }, 'stored blocks cannot be compared with the chain now');
      return null;
    }
  }

  private async compare({ last, all }: PublishedBlocks, signal: AbortSignal): Promise<StaleBlocks | null> {
    const indexed = await this.stored.findIndexed();
    const tip = indexed.at(-1);
    if (!tip || !last || this.hasMoved(tip) || !isFinal(tip, last)) return null;
    const own = new Set(all.map(blockKey));
    const isOnChain = async (block: BlockRef) => own.has(blockKey(block)) || (await this.source.has(block, signal));
    // Otherwise the node may be behind, or follow another branch.
    if (!(await this.source.has(last, signal))) return null;
    const orphaned: BlockLink[] = [];
    for (const block of await this.stored.findAfter(tip.slot, MAX_AFTER)) {
      if (block.slot <= last.slot && !(await isOnChain(block))) orphaned.unshift(block);
    }
    // A node that has deleted old blocks has none of these, so one of them must be found.
    for (let count = indexed.length; count > 0 && orphaned.length <= MAX_FORK_DEPTH; count--) {
      const block = indexed[count - 1];
      if (!(await isOnChain(block))) orphaned.push(block);
      else if (orphaned.length === 0) return this.pause();
      else return isFinal(orphaned[0], last) ? { orphaned, indexed: indexed.slice(0, count) } : null;
    }
    const values = { indexedSlot: tip.slot, orphaned: orphaned.length };
    const sentence = 'the indexed slot does not advance: the newest stored blocks are not on the chain of the node';
    this.logger.error(values, sentence);
    return this.pause();
  }

  /** The projectors are behind or stopped. The next comparison is not soon. */
  private pause(): null {
    this.checkedAt += PAUSE_INTERVALS * this.intervalMs;
    return null;
  }

  /** Whether the indexed slot has advanced since the last check. */
  private hasMoved(tip: BlockRef): boolean {
    const before = this.lastIndexed;
    this.lastIndexed = blockKey(tip);
    return before !== this.lastIndexed;
  }
}

/** Whether a fork can no longer orphan a block, or re-adopt it if it is orphaned. */
function isFinal(block: BlockRef, last: BlockRef): boolean {
  return block.slot + MAX_FORK_DEPTH < last.slot;
}
