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

/**
 * Finds stored blocks that are orphaned and that no ingest reverts: another ingest published them and ended.
 *
 * ```
 *   this ingest      100 ── 101 ── 102 ── 103        published and on the chain
 *   stored           100 ── 101 ── 102'              102' is orphaned, 102 was ignored: the indexed slot cannot advance
 * ```
 *
 * Blocks are compared only while the indexed slot does not advance, although later blocks were published.
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
    if (!tip || !last || tip.slot >= last.slot || this.hasMoved(tip)) return null;
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
      const isFound = await isOnChain(block);
      if (isFound) return orphaned.length > 0 ? { orphaned, indexed: indexed.slice(0, count) } : null;
      orphaned.push(block);
    }
    const values = { indexedSlot: tip.slot, orphaned: orphaned.length };
    this.logger.error(
      values,
      'the indexed slot does not advance: the newest stored blocks are not on the chain of the node',
    );
    return null;
  }

  /** Whether the indexed slot has advanced since the last check. */
  private hasMoved(tip: BlockRef): boolean {
    const before = this.lastIndexed;
    this.lastIndexed = blockKey(tip);
    return before !== this.lastIndexed;
  }
}
